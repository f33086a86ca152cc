import type { AIMessage, InputId, JsonValue, TurnId, Usage } from '@looprig/core'
import type { ErrorInfo } from '../error/errors.ts'
import type { Delivery } from '../event/event.ts'

/**
 * What became of an input. One that joined the turn of another has the outcome of that turn.
 *
 * - `done`: `text` is the answer, `message` the last model message.
 * - `failed`, `interrupted`: the turn ended without an answer; `text` is what had arrived, if anything.
 * - `cancelled`: it left the queue without a turn: it was cancelled, the turn before it failed, or its session was
 *   stopped.
 * - `rejected`: it was not accepted and nothing was written, or it was and gets no turn: `TurnRejected` says why.
 * - `waiting`: the session was parked while the turn waited for a person; restore it to go on.
 */
export interface TurnResult {
  readonly status: 'done' | 'failed' | 'interrupted' | 'cancelled' | 'rejected' | 'waiting'
  readonly inputId: InputId
  /** The turn that it began or joined; absent when there was none. */
  readonly turnId?: TurnId
  readonly text: string
  readonly message?: AIMessage
  /** What the loop's `output` parsed of the answer; with `done`, when the loop has one. `text` is its canonical JSON. */
  readonly output?: JsonValue
  /** The sum over the turn's committed steps. */
  readonly usage: Usage
  /** With `failed` and `rejected`. */
  readonly error?: ErrorInfo
}

/**
 * One submitted input. Iterate it for the events that it causes, from its acceptance to its turn's end; the iteration
 * begins at the call of `submit`, may be done once, and has a bounded buffer (`SubscriptionLossError`).
 * What the turn's agents do is not among them: subscribe to the session for that.
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
