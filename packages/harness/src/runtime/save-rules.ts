import { errorResult } from '@looprig/tools'
import type { GateResolved } from '../event/gate-event.ts'
import { approve } from './gate-listener.ts'
import { judgeCall } from './judge-call.ts'
import { judgedGate } from './judged-gate.ts'
import type { OpenStep } from './open-step.ts'
import { shapeResult, stepShare } from './result-message.ts'
import type { StepCall } from './step-call.ts'
import type { TurnHost } from './turn-host.ts'
import { maxGateMs, withinBound } from './within-bound.ts'

/**
 * Writes the rules of a durable `approve_always`, then lets its call run, then closes the gates of the step that the
 * rules meet. Rules that cannot be written keep the call from running. A turn that is stopped meanwhile leaves the
 * approval unspent: a restore writes the rules again, which changes nothing where they are.
 */
export async function saveRules(host: TurnHost, step: OpenStep, call: StepCall): Promise<void> {
  const { saving: rules = [] } = call
  try {
    const { gate } = host.loop
    if (gate?.saveRules === undefined) throw new TypeError('the gate keeps no rules')
    const saving = Promise.resolve(gate.saveRules(rules)).then(() => true as const)
    const saved = await withinBound(host.clock, maxGateMs, saving, host.signal)
    if (host.signal.aborted) return
    if (saved === undefined) throw new TypeError('the rules were not saved in time')
  } catch {
    if (host.signal.aborted) return
    call.saving = undefined
    const text = 'rule_not_saved: the call was approved, but its rule could not be saved; it did not run'
    call.result = shapeResult(call.toolUseId, errorResult('rule_not_saved', text), stepShare(step.calls.length))
    return
  }
  call.saving = undefined
  approve(host, step, call)
  await closeMet(host, step)
}

/** Has the open gates of the step judged again: what is allowed now needs no answer, and what is denied now gets none. */
async function closeMet(host: TurnHost, step: OpenStep): Promise<void> {
  const events: GateResolved[] = []
  for (const call of step.calls) {
    const { gate, prepared } = call
    if (gate?.state !== 'open' || gate.asked.type !== 'PermissionRequested' || prepared === undefined || call.isStale)
      continue
    const { decision } = await judgeCall(host.loop.gate, prepared.request, host.signal, host.clock)
    if (host.signal.aborted) return
    const event = judgedGate(gate.asked, decision)
    // a source that fails for a moment leaves it to the person who was asked
    const isBroken = event?.denial === 'access_error' || event?.denial === 'rule_error'
    if (event === undefined || isBroken) continue
    if (decision.decision === 'allow') call.grants = decision.grants ?? []
    events.push(event)
  }
  if (events.length === 0) return
  await host.commit(() => {
    const draft = host.gates.close(events, host.ids, host.worksBeside())
    return draft.records.length === 0 ? undefined : draft
  })
}
