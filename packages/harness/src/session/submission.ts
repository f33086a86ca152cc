import type { AIMessage, InputId, TurnId, Usage } from '@looprig/core'
import type { ErrorInfo } from '../error/errors.ts'
import type { Delivery } from '../event/event.ts'

/**
 * What became of an input.
 *
 * - `done`: `text` is the answer, `message` the last model message.
 * - `failed`, `interrupted`: the turn ended without an answer; `text` is what had arrived, if anything.
 * - `cancelled`: it left the queue without a turn: it was cancelled, the turn before it failed, or its session was
 *   stopped.
 * - `rejected`: it was never accepted; nothing was written.
 * - `waiting`: the session was parked while the turn waited for a person; restore it to go on.
 */
export interface TurnResult {
  readonly status: 'done' | 'failed' | 'interrupted' | 'cancelled' | 'rejected' | 'waiting'
  readonly inputId: InputId
  /** Absent when there was no turn. */
  readonly turnId?: TurnId
  readonly text: string
  readonly message?: AIMessage
  /** The sum over the turn's committed steps. */
  readonly usage: Usage
  /** With `failed` and `rejected`. */
  readonly error?: ErrorInfo
}

/**
 * One submitted input. Iterate it for the events that it causes, from its acceptance to its turn's end; the iteration
 * begins at the call of `submit`, may be done once, and has a bounded buffer (`SubscriptionLossError`).
 */
export interface Submission extends AsyncIterable<Delivery> {
  readonly inputId: InputId
  /**
   * Settles when the input is durable. Nobody has to look at it.
   *
   * Rejects with `SessionError` (`queue_full`, `input_invalid`, `input_conflict`, `session_closed`) when nothing was
   * written, with `SessionFaultedError` when it may have been.
   */
  readonly accepted: Promise<void>
  /** Resolves with the outcome, whatever it is; rejects with `SessionFaultedError` only. May be called repeatedly. */
  result(): Promise<TurnResult>
}
