import { type GateId, LooprigError, type SessionId } from '@looprig/core'
import type { DriftChange } from '../rig/drift-change.ts'
import { nameDrift } from '../rig/drift-table.ts'

/** What a closed error tells on a wire or in an event. */
export interface ErrorInfo {
  readonly code: string
  readonly message: string
}

/** A loop or rig that cannot be: nothing was constructed. */
export class DefinitionError extends LooprigError {
  override readonly name = 'DefinitionError'
  readonly code = 'definition_invalid'
  /** The option at fault, for example `limits.parallel`. */
  readonly field: string

  constructor(field: string, expected: string, options?: ErrorOptions) {
    super(`${field}: ${expected}`, options)
    this.field = field
  }
}

/** An event that breaks its own rules; it is neither journalled nor delivered. */
export class InvalidEventError extends LooprigError {
  override readonly name = 'InvalidEventError'
  readonly code = 'event_invalid'
  /** The event's type. */
  readonly event: string
  readonly field: string
  readonly rule: 'must be set' | 'is invalid' | 'is not a known event type'

  constructor(event: string, field: string, rule: InvalidEventError['rule']) {
    super(`${event}: ${field} ${rule}`)
    this.event = event
    this.field = field
    this.rule = rule
  }
}

/**
 * A call that a session refused; nothing was written.
 *
 * - `queue_full`: 64 inputs wait already.
 * - `input_invalid`: the input is empty, too large or no user content.
 * - `input_conflict`: another input has this id.
 * - `session_closed`: it was shut down or stopped.
 * - `session_stopped`: it was stopped for good and cannot be restored.
 * - `session_not_found`: the store has no such session.
 * - `since_ahead`: `since` is beyond the journal's tip.
 * - `since_invalid`: `since` is no whole number from 0.
 * - `loop_not_found`: the session has no such loop, or it is an agent of another loop.
 * - `unknown_mode`: the loop has no such mode.
 * - `model_invalid`: no model, or one that the loop cannot ask as it is: the message says why.
 * - `resource_failed`: what its tools share could not be made or activated, or not in time: the message says why.
 * - `outcome_unknown`: a write from a process that does not own the session may or may not have been made; do it again
 *   with the same id.
 */
export class SessionError extends LooprigError {
  override readonly name = 'SessionError'
  readonly code:
    | 'queue_full'
    | 'input_invalid'
    | 'input_conflict'
    | 'session_closed'
    | 'session_stopped'
    | 'session_not_found'
    | 'since_ahead'
    | 'since_invalid'
    | 'loop_not_found'
    | 'unknown_mode'
    | 'model_invalid'
    | 'resource_failed'
    | 'outcome_unknown'

  constructor(code: SessionError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/**
 * The session stopped because its journal could not be written for certain. Nothing more is appended or delivered;
 * restore the session to go on. `reason`: `fenced` (another owner took over), `lease_lost`, `outcome_unknown` (the
 * store could not say whether it wrote), `store_failed` (the store refused; `cause` says why), `slot_taken` (a record
 * that only this owner writes was there already), `internal`.
 */
export class SessionFaultedError extends LooprigError {
  override readonly name = 'SessionFaultedError'
  readonly code = 'session_faulted'
  readonly reason: 'fenced' | 'lease_lost' | 'outcome_unknown' | 'store_failed' | 'slot_taken' | 'internal'

  constructor(reason: SessionFaultedError['reason'], options?: ErrorOptions) {
    super(`the session stopped (${reason}); restore it to go on`, options)
    this.reason = reason
  }
}

/** What ends a session for a reason that nobody foresaw; a fault stays what it is. */
export function asFault(error: unknown): SessionFaultedError {
  return error instanceof SessionFaultedError ? error : new SessionFaultedError('internal', { cause: error })
}

/** Another live process owns the session. */
export class LeaseHeldError extends LooprigError {
  override readonly name = 'LeaseHeldError'
  readonly code = 'lease_held'
  readonly sessionId: SessionId

  constructor(sessionId: SessionId, options?: ErrorOptions) {
    super(`session ${sessionId} is open in another process`, options)
    this.sessionId = sessionId
  }
}

/**
 * The rig differs from the one that the session last ran with. Nothing was changed; `formatDrift` shows `changes`.
 * `reason`: `rejected` by the decider, `decider_failed` (`cause` is what it threw), `decider_late`, `decider_invalid` (its
 * answer is no decision), `loop_missing` (the rig has no loop that could go on with the session's history: no decider is
 * asked).
 */
export class RestoreRejectedError extends LooprigError {
  override readonly name = 'RestoreRejectedError'
  readonly code = 'restore_rejected'
  readonly reason: 'rejected' | 'decider_failed' | 'decider_late' | 'decider_invalid' | 'loop_missing'
  /** By category, then by field. */
  readonly changes: readonly DriftChange[]

  constructor(changes: readonly DriftChange[], reason: RestoreRejectedError['reason'], options?: ErrorOptions) {
    super(`the session was made with another configuration (${reason}): ${nameDrift(changes)}`, options)
    this.reason = reason
    this.changes = changes
  }
}

/**
 * A journal that cannot be read whole; nothing was changed. `journal_invalid`: a record breaks its rules,
 * `unknown_event`: an event type that this version does not know, `unsupported_version`: written by a newer version.
 */
export class JournalError extends LooprigError {
  override readonly name = 'JournalError'
  readonly code: 'journal_invalid' | 'unknown_event' | 'unsupported_version'
  /** The record at fault. */
  readonly seq: number

  constructor(code: JournalError['code'], seq: number, detail: string, options?: ErrorOptions) {
    super(`record ${seq}: ${detail}`, options)
    this.code = code
    this.seq = seq
  }
}

/**
 * An answer that a gate refused; nothing was written.
 *
 * - `gate_not_found`: the session has no such gate.
 * - `already_resolved`: it was resolved in another way; `action` tells with which action, if with one.
 * - `action_invalid`: it does not offer this action.
 * - `answer_invalid`: the text is none of the choices, nor `other`, or is too long.
 * - `kind_mismatch`: an action for a question, or a text where permission is asked for.
 * - `gate_expired`: its time is over, and nobody has closed it yet.
 */
export class GateError extends LooprigError {
  override readonly name = 'GateError'
  readonly code:
    | 'gate_not_found'
    | 'already_resolved'
    | 'action_invalid'
    | 'answer_invalid'
    | 'kind_mismatch'
    | 'gate_expired'
  readonly gateId: GateId
  readonly action: string | undefined

  constructor(code: GateError['code'], gateId: GateId, action?: string) {
    super(`gate ${gateId}: ${gateMessages[code]}`)
    this.code = code
    this.gateId = gateId
    this.action = action
  }
}

const gateMessages: Record<GateError['code'], string> = {
  gate_not_found: 'no such gate in this session',
  already_resolved: 'it was resolved in another way',
  action_invalid: 'it does not offer this action',
  answer_invalid: 'this is no answer to its question',
  kind_mismatch: 'it takes another kind of answer',
  gate_expired: 'its time is over',
}

/** A subscriber was too slow for its buffer. Subscribe again with `since: resumeFrom`; nothing is missed. */
export class SubscriptionLossError extends LooprigError {
  override readonly name = 'SubscriptionLossError'
  readonly code = 'subscription_loss'
  /** The seq of the last enduring event that this subscriber can still read. */
  readonly resumeFrom: number

  constructor(resumeFrom: number) {
    super('the subscriber was too slow; subscribe again from resumeFrom')
    this.resumeFrom = resumeFrom
  }
}
