import type { InputId, LoopId, TurnId, Usage, UserMessage } from '@looprig/core'
import type { ErrorInfo } from '../error/errors.ts'

/** Whose turn it is, counted from 1 within its loop. */
interface TurnScope {
  readonly loopId: LoopId
  readonly turnId: TurnId
  /** The input that caused the turn. */
  readonly inputId: InputId
  readonly turnIndex: number
}

/** An input began its turn. Slot `in/<inputId>/end`. */
export interface TurnStarted extends TurnScope {
  readonly type: 'TurnStarted'
  readonly message: UserMessage
}

/**
 * An input joined the turn that runs, between two requests to the model: the next one shows it. Its outcome is that of
 * the turn. Slot `in/<inputId>/end`.
 */
export interface TurnFoldedInto {
  readonly type: 'TurnFoldedInto'
  readonly loopId: LoopId
  /** The turn that it joined; another input began it. */
  readonly turnId: TurnId
  readonly inputId: InputId
  readonly turnIndex: number
  readonly message: UserMessage
}

/** An input that was accepted and never gets a turn: no model ever sees it. Slot `in/<inputId>/end`. */
export interface TurnRejected {
  readonly type: 'TurnRejected'
  readonly loopId: LoopId
  readonly inputId: InputId
  /**
   * `queue_full`: another process handed it over while 64 waited already; `denied`: a guard of the session refused it;
   * `input_invalid`: it holds what the model of its turn does not take.
   */
  readonly reason: 'queue_full' | 'denied' | 'input_invalid'
  /** With `denied`: why, in the words of the guard. */
  readonly detail?: string
  /** What it said, so that an interface can offer it again. */
  readonly message: UserMessage
}

/** The turn ended with an answer: the last `StepDone` before this. Slot `turn/<turnId>/end`. */
export interface TurnDone extends TurnScope {
  readonly type: 'TurnDone'
  /** The sum over the turn's steps. */
  readonly usage: Usage
  /** The answer is the output of its loop: one text, canonical JSON. Absent: an answer in words. */
  readonly structured?: true
}

/** The turn ended without an answer; its committed steps stay. Slot `turn/<turnId>/end`. */
export interface TurnFailed extends TurnScope {
  readonly type: 'TurnFailed'
  readonly error: ErrorInfo
}

/** The turn was interrupted, or its process ended; its committed steps stay. Slot `turn/<turnId>/end`. */
export interface TurnInterrupted extends TurnScope {
  readonly type: 'TurnInterrupted'
}

/** An accepted input left the queue without a turn: no model ever sees it. Slot `in/<inputId>/end`. */
export interface InputCancelled {
  readonly type: 'InputCancelled'
  readonly loopId: LoopId
  readonly inputId: InputId
  /**
   * `client_retracted`: it was taken back; `turn_failed`: the turn before it failed; `turn_interrupted`: the turn before
   * it was interrupted, and no person sent it; `session_stopped`: its session was stopped.
   */
  readonly reason: 'client_retracted' | 'turn_failed' | 'turn_interrupted' | 'session_stopped'
  /** What it said, so that an interface can offer it again. */
  readonly message: UserMessage
}

/** An input was accepted and waits for its turn. Ephemeral. */
export interface InputQueued {
  readonly type: 'InputQueued'
  readonly loopId: LoopId
  readonly inputId: InputId
}
