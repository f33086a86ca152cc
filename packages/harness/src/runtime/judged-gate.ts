import type { GateResolved } from '../event/gate-event.ts'
import type { GateRequest } from '../gate/open-gate.ts'
import type { Decision } from './judge-call.ts'

/** The resolution of an open gate whose call was judged again: allowed or denied now; nothing while a person is still needed. */
export function judgedGate(asked: GateRequest, decision: Decision): GateResolved | undefined {
  const { loopId, turnId, stepId, gateId, toolExecutionId } = asked
  const scope = { type: 'GateResolved', loopId, turnId, stepId, gateId, toolExecutionId } as const
  if (decision.decision === 'ask') return undefined
  const rule = 'rule' in decision && decision.rule !== undefined ? { rule: decision.rule } : {}
  if (decision.decision === 'allow') return { ...scope, reason: 'rule', ...rule }
  const denial = decision.reason === 'access_gate_missing' ? 'access_error' : decision.reason
  return { ...scope, reason: 'denied', denial, ...rule }
}
