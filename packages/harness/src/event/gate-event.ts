import type { GateId, ToolExecutionId } from '@looprig/core'
import type { Requirement, Rule, RuleCandidate, ToolRequest, UserQuestion } from '@looprig/tools'
import type { StepScope } from './step-event.ts'

/**
 * What a person may answer to a call that needs permission. `approve_always` also saves the displayed candidates as
 * rules; it is offered only where there are some, and somewhere to keep them.
 */
export type GateAction = 'approve' | 'approve_always' | 'deny'

/** A call waits for a person's permission. Slot `gate/<gateId>`. */
export interface PermissionRequested extends StepScope {
  readonly type: 'PermissionRequested'
  readonly gateId: GateId
  readonly toolExecutionId: ToolExecutionId
  readonly request: ToolRequest
  /** The requirements that neither configuration nor a rule allows. */
  readonly unmet: readonly Requirement[]
  readonly actions: readonly GateAction[]
  /** What `approve_always` saves: exactly these. Absent where it is not offered. */
  readonly candidates?: readonly RuleCandidate[]
  /** How long it stays open, counted in the store's time from this record. Absent: without end. */
  readonly timeoutMs?: number
}

/** A call waits for a person's answer to a question. Slot `gate/<gateId>`. */
export interface UserInputRequested extends StepScope {
  readonly type: 'UserInputRequested'
  readonly gateId: GateId
  readonly toolExecutionId: ToolExecutionId
  readonly question: UserQuestion
  /** The tool that asks is running: the question ends with its step and does not survive a restart. */
  readonly live?: true
  /** How long it stays open, counted in the store's time from this record. Absent: without end. */
  readonly timeoutMs?: number
}

/** Why a policy refused a call: configured access, a rule, a source of either that failed, or nobody is there to ask. */
export type DenyReason = 'access_denied' | 'access_error' | 'rule_denied' | 'rule_error' | 'approval_required'

/** A gate closed; the first resolution counts. Slot `gate/<gateId>/end`. */
export interface GateResolved extends StepScope {
  readonly type: 'GateResolved'
  readonly gateId: GateId
  readonly toolExecutionId: ToolExecutionId
  /**
   * `answered` by a person; `abandoned` because its turn, or the tool that asked, ended; `rule`: what was saved or
   * configured since it opened allows the call; `timeout`: its time was over; `denied`: the policy denies the call now.
   */
  readonly reason: 'answered' | 'abandoned' | 'rule' | 'timeout' | 'denied'
  /** The answer to a call that needs permission. */
  readonly action?: GateAction
  /** The answer to a question. */
  readonly answer?: string
  /** With `approve_always`: what it saves. The record is durable before the rules are written. */
  readonly rules?: readonly RuleCandidate[]
  /** The stored rule that allowed or denied the call. */
  readonly rule?: Rule
  /** With `denied`: why. */
  readonly denial?: DenyReason
  /** Who answered, as the caller named them. */
  readonly by?: string
}
