import type { GateResolved } from '../event/gate-event.ts'
import { openGate } from '../gate/open-gate.ts'
import { gateOutcome } from '../hook/call-hooks.ts'
import { questionGate } from './due-gate.ts'
import { firstRuns } from './first-runs.ts'
import { gateResult } from './gate-result.ts'
import type { OpenStep } from './open-step.ts'
import { shapeResult, stepShare } from './result-message.ts'
import { staleResult } from './stale-result.ts'
import type { StepCall } from './step-call.ts'
import type { TurnHost } from './turn-host.ts'

/** Makes the open gate of a call answerable, and takes its resolution, whoever makes it. */
export function listenAtGate(host: TurnHost, step: OpenStep, call: StepCall, changed: () => void): void {
  const { gate } = call
  if (gate === undefined) return
  const { gateId, toolExecutionId } = gate.asked
  gate.endHooks = host.hooks.begin('gate_wait', () => ({
    ...{ ...host.hooks.scope, ...step.scope, gateId, toolExecutionId, toolName: call.name },
  }))
  host.gates.open({
    gate: openGate(gate.asked, gate.at, gate.preview),
    follow: (event) => firstRuns(host, step, call, event),
    resolved: (event) => {
      gate.state = 'resolved'
      gate.endHooks?.(gateOutcome(event))
      settle(host, step, call, event)
      changed()
    },
  })
}

function settle(host: TurnHost, step: OpenStep, call: StepCall, event: GateResolved): void {
  const asked = call.gate?.asked
  if (asked === undefined) return
  const result = gateResult({ asked, event }, call.toolUseId, step.calls.length)
  // a refusal counts also when the step is being closed: a restore would say the same
  if (result !== undefined) call.result ??= result
  if (result !== undefined || step.closed || event.reason === 'abandoned') return
  if (call.isStale) call.result = shapeResult(call.toolUseId, staleResult(), stepShare(step.calls.length))
  else if (event.action === 'approve_always' && asked.type === 'PermissionRequested')
    call.saving = asked.candidates ?? []
  else approve(host, step, call)
}

/** A call may run, or, where it is for a question, ask it. */
export function approve(host: Pick<TurnHost, 'ids' | 'loop'>, step: OpenStep, call: StepCall): void {
  call.approved = true
  const question = call.prepared?.question
  if (question !== undefined) call.gate = questionGate(host.ids, step.scope, call, question, host.loop.gate)
}
