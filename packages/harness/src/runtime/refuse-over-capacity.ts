import type { PermissionDecided } from '../event/tool-event.ts'
import { deniedResult, unavailableResult } from './denial.ts'
import type { OpenStep } from './open-step.ts'
import { type ShapedResult, shapeResult, stepShare } from './result-message.ts'
import type { StepCall } from './step-call.ts'

/** What becomes of calls for which no more gate may open. */
export interface OverCapacity {
  readonly decisions: readonly PermissionDecided[]
  readonly results: ReadonlyMap<StepCall, ShapedResult>
  /** Gives the calls their results, once the append is durable. */
  apply(): void
}

/** Denies calls that would open more gates than a session may have; changes nothing by itself. */
export function refuseOverCapacity(step: OpenStep, calls: readonly StepCall[]): OverCapacity {
  const results = new Map<StepCall, ShapedResult>()
  const decisions: PermissionDecided[] = []
  for (const call of calls) {
    const asked = call.gate?.asked
    const isQuestion = asked?.type !== 'PermissionRequested'
    const result = isQuestion
      ? unavailableResult()
      : deniedResult('gate_capacity', asked.unmet[0]?.description ?? call.name)
    results.set(call, shapeResult(call.toolUseId, result, stepShare(step.calls.length)))
    if (isQuestion) continue
    decisions.push({
      type: 'PermissionDecided',
      ...step.scope,
      toolExecutionId: call.executionId,
      effect: 'deny',
      reason: 'gate_capacity',
      subject: call.name,
    })
  }
  return {
    decisions,
    results,
    apply: () => {
      for (const [call, result] of results) {
        call.result = result
        call.gate = undefined
      }
    },
  }
}
