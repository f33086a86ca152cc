import type { GateResolved } from '../event/gate-event.ts'
import { runDraft } from '../journal/record-draft.ts'
import type { Draft } from '../session/session-log.ts'
import { gateResult } from './gate-result.ts'
import type { OpenStep } from './open-step.ts'
import { takeWave } from './run-calls.ts'
import { isRunnable, needsRunRecord, type StepCall } from './step-call.ts'
import type { TurnHost } from './turn-host.ts'

/**
 * The starts that join the append of a step's last answer: the first calls that run then, so that an approval and what it
 * allows cost one append. Nothing while the step waits for more: another gate, rules to be saved, a question to be asked.
 */
export function firstRuns(host: TurnHost, step: OpenStep, answered: StepCall, event: GateResolved): Draft | undefined {
  const asked = answered.gate?.asked
  if (asked === undefined || step.closed || host.signal.aborted || event.action === 'approve_always') return undefined
  const waits = ({ gate, saving }: StepCall) => saving !== undefined || gate?.state === 'open' || gate?.state === 'due'
  if (step.calls.some((call) => call !== answered && waits(call))) return undefined
  const isApproved = gateResult({ asked, event }, answered.toolUseId, step.calls.length) === undefined
  if (isApproved && answered.prepared?.question !== undefined) return undefined
  const runs = (call: StepCall) => call !== answered || (isApproved && !call.isStale)
  const ready = step.calls.filter(isRunnable).filter(runs)
  const wave = takeWave(ready, [], host.loop.limits.parallel)
  const starts = wave.filter((call) => {
    return !call.recorded && needsRunRecord({ ...call, approved: call.approved || call === answered })
  })
  if (starts.length === 0) return undefined
  return {
    records: starts.map(({ executionId }) => runDraft({ executionId, ...step.scope })),
    apply: () => {
      for (const call of starts) call.recorded = true
    },
  }
}
