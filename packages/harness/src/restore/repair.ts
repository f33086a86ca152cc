import type { ToolResultMessage } from '@looprig/core'
import type { EnduringBody } from '../event/event.ts'
import type { StepCallBody } from '../journal/record-body.ts'
import { deniedByPerson } from '../runtime/ask-person.ts'
import { stepDone } from '../runtime/open-step.ts'
import { closedResult } from '../runtime/step-call.ts'
import type { LoopFold, StepFold } from './loop-fold.ts'

/** The events that close what a crash or a parked turn left open, of all loops; none when nothing is open. */
export function repairEvents(loops: Iterable<LoopFold>): readonly EnduringBody[] {
  const events: EnduringBody[] = []
  for (const { loopId, turn } of loops) {
    if (turn === undefined) continue
    const { turnId, inputId, turnIndex, step } = turn
    if (step !== undefined) events.push(...closeStepFold(step))
    events.push({ type: 'TurnInterrupted', loopId, turnId, inputId, turnIndex }, { type: 'LoopIdle', loopId })
  }
  if (events.length > 0) events.push({ type: 'SessionIdle' })
  return events
}

/** Open gates are abandoned, and every call gets one result: what is known of it, or that nobody knows. */
function closeStepFold(step: StepFold): readonly EnduringBody[] {
  const { message, calls, loopId, turnId, stepId } = step.body
  const scope = { loopId, turnId, stepId }
  const gates = [...step.openGates.values()].map(
    ({ gateId, toolExecutionId }): EnduringBody => ({
      type: 'GateResolved',
      ...scope,
      gateId,
      toolExecutionId,
      reason: 'abandoned',
    }),
  )
  return [
    ...gates,
    stepDone(
      scope,
      message,
      calls.map((call) => closeCall(step, call)),
    ),
  ]
}

/** What is known of a call of an open step: its refusal, its end, or that a person denied it. */
export function knownResult(
  step: StepFold,
  { executionId, toolUseId, refused }: StepCallBody,
): ToolResultMessage | undefined {
  const denied = step.denied.get(executionId)
  return refused ?? step.ends.get(executionId) ?? (denied && deniedByPerson(toolUseId, denied.unmet).message)
}

function closeCall(step: StepFold, call: StepCallBody): ToolResultMessage {
  const known = knownResult(step, call)
  if (known !== undefined) return known
  const mayHaveRun = step.runs.has(call.executionId)
  return closedResult({ toolUseId: call.toolUseId, result: undefined, mayHaveRun }).message
}
