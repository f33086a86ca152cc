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

/** The turn ended with an answer: the last `StepDone` before this. Slot `turn/<turnId>/end`. */
export interface TurnDone extends TurnScope {
  readonly type: 'TurnDone'
  /** The sum over the turn's steps. */
  readonly usage: Usage
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
   * `client_retracted`: `session.cancel` took it back; `turn_failed`: the turn before it failed; `session_stopped`: its
   * session was stopped.
   */
  readonly reason: 'client_retracted' | 'turn_failed' | 'session_stopped'
  /** What it said, so that an interface can offer it again. */
  readonly message: UserMessage
}

/** An input was accepted and waits for its turn. Ephemeral. */
export interface InputQueued {
  readonly type: 'InputQueued'
  readonly loopId: LoopId
  readonly inputId: InputId
}
