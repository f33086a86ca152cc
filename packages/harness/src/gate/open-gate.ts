import type { GateId, ToolExecutionId } from '@looprig/core'
import type { Preview, Requirement, RuleCandidate, ToolRequest, UserQuestion } from '@looprig/tools'
import type { GateAction, PermissionRequested, UserInputRequested } from '../event/gate-event.ts'
import type { StepScope } from '../event/step-event.ts'

/** A call that waits for a person's permission. Answer with `{action}`. */
export interface OpenPermission extends StepScope {
  readonly kind: 'permission'
  readonly gateId: GateId
  readonly toolExecutionId: ToolExecutionId
  readonly request: ToolRequest
  readonly unmet: readonly Requirement[]
  readonly actions: readonly GateAction[]
  /** What `approve_always` saves: exactly these. Absent where it is not offered. */
  readonly candidates?: readonly RuleCandidate[]
  /** What the call would change. Only in the process that asked: it is stored nowhere, and gone after a restore. */
  readonly preview?: Preview
  /** When it is denied unless answered, in milliseconds of the store's time. */
  readonly expiresAtMs?: number
}

/** A call that waits for the answer to a question. Answer with `{answer}`. */
export interface OpenQuestion extends StepScope {
  readonly kind: 'question'
  readonly gateId: GateId
  readonly toolExecutionId: ToolExecutionId
  readonly question: UserQuestion
  /** The tool that asks is running; the question ends with it. */
  readonly live?: true
  /** When it is closed unless answered, in milliseconds of the store's time. */
  readonly expiresAtMs?: number
}

/** One question to a person that is still open; told apart by `kind`. */
export type OpenGate = OpenPermission | OpenQuestion

/** An answer to a gate: an action where permission is asked for, a text where a question is asked. */
export type GateAnswer =
  | { readonly action: GateAction /** Who answers, for the audit. */; readonly by?: string | undefined }
  | { readonly answer: string /** Who answers, for the audit. */; readonly by?: string | undefined }

/** The record that opened a gate. */
export type GateRequest = PermissionRequested | UserInputRequested

/** A gate as people see it, from its record and the store's time of that record. */
export function openGate(asked: GateRequest, at: number, preview?: Preview): OpenGate {
  const { loopId, turnId, stepId, gateId, toolExecutionId } = asked
  const scope = { loopId, turnId, stepId, gateId, toolExecutionId }
  const expiry = asked.timeoutMs === undefined ? {} : { expiresAtMs: at + asked.timeoutMs }
  if (asked.type === 'UserInputRequested') {
    const { question, live } = asked
    return Object.freeze({ kind: 'question', ...scope, question, ...(live === undefined ? {} : { live }), ...expiry })
  }
  const { request, unmet, actions, candidates } = asked
  return Object.freeze({
    kind: 'permission',
    ...scope,
    request,
    unmet,
    actions,
    ...(candidates === undefined ? {} : { candidates }),
    ...(preview === undefined ? {} : { preview }),
    ...expiry,
  })
}
