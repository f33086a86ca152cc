import type { Preview, UserQuestion } from '@looprig/tools'
import { type IdSource, newId } from '../clock/id-source.ts'
import type { GateAction } from '../event/gate-event.ts'
import type { StepScope } from '../event/step-event.ts'
import type { Evaluation, Gate } from '../gate/gate.ts'
import { isGateTimeout } from '../gate/gate-options.ts'
import type { GateRequest } from '../gate/open-gate.ts'
import type { CallGate } from './call-gate.ts'
import type { RunnableCall, StepCall } from './step-call.ts'

const withoutSaving: readonly GateAction[] = Object.freeze(['approve', 'deny'] as const)
const withSaving: readonly GateAction[] = Object.freeze(['approve', 'approve_always', 'deny'] as const)

/** Asks for permission for what a gate left open. `approve_always` needs something to save and somewhere to keep it. */
export function permissionGate(
  ids: IdSource,
  scope: StepScope,
  call: RunnableCall,
  { unmet, candidates = [], timeoutMs }: Extract<Evaluation, { decision: 'ask' }>,
  gate: Gate | undefined,
): CallGate {
  const canSave = candidates.length > 0 && gate?.saveRules !== undefined
  const { request, preview } = call.prepared
  const asked: GateRequest = {
    type: 'PermissionRequested',
    ...scope,
    gateId: newId(ids, 'GateId'),
    toolExecutionId: call.executionId,
    request,
    unmet,
    actions: canSave ? withSaving : withoutSaving,
    ...(canSave ? { candidates } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
  return dueGate(asked, preview)
}

/** Asks a tool's question, whose answer is the call's result. */
export function questionGate(
  ids: IdSource,
  scope: StepScope,
  call: StepCall,
  question: UserQuestion,
  gate: Gate | undefined,
): CallGate {
  const gateId = newId(ids, 'GateId')
  const { executionId: toolExecutionId } = call
  return dueGate({ type: 'UserInputRequested', ...scope, gateId, toolExecutionId, question, ...questionTimeout(gate) })
}

/** How long a question stays open, as its gate says; one that says something else sets no limit. */
export function questionTimeout(gate: Gate | undefined): { readonly timeoutMs?: number } {
  const timeoutMs: unknown = gate?.questionTimeoutMs
  return isGateTimeout(timeoutMs) ? { timeoutMs } : {}
}

function dueGate(asked: GateRequest, preview?: Preview): CallGate {
  return { asked: Object.freeze(asked), state: 'due', at: 0, preview }
}
