import type { InputId, ToolExecutionId, ToolResultMessage } from '@looprig/core'
import type { EnduringBody } from '../event/event.ts'
import type { StepCallBody } from '../journal/record-body.ts'
import { stepDone } from '../runtime/open-step.ts'
import { closedResult } from '../runtime/step-call.ts'
import type { LoopFold, StepFold, TurnFold } from './loop-fold.ts'

/** What is known of a turn that is closed from the loops beside it. */
export interface ClosingTurn {
  /** What became of the agents that its calls waited for. */
  readonly results: ReadonlyMap<ToolExecutionId, ToolResultMessage>
  /** Says of a waiting input that no person sent whether it stays for the loop's next turn. */
  keeps(inputId: InputId): boolean
}

/** The events that close a turn that a crash or a shutdown left open, and what agents sent to its loop since. */
export function closeTurn(
  loop: LoopFold,
  { turnId, inputId, turnIndex, step }: TurnFold,
  { results, keeps }: ClosingTurn,
): readonly EnduringBody[] {
  const { loopId, queue } = loop
  const machine = [...queue.values()].filter((input) => input.agency === 'machine' && !keeps(input.inputId))
  return [
    ...(step === undefined ? [] : closeStepFold(step, results)),
    { type: 'TurnInterrupted', loopId, turnId, inputId, turnIndex },
    ...machine.map(
      ({ inputId: id, message }): EnduringBody => ({
        type: 'InputCancelled',
        ...{ loopId, inputId: id, reason: 'turn_interrupted', message },
      }),
    ),
    { type: 'LoopIdle', loopId },
  ]
}

/** Open gates are abandoned, and every call gets one result: what is known of it, or that nobody knows. */
function closeStepFold(step: StepFold, results: ClosingTurn['results']): readonly EnduringBody[] {
  const { message, calls, loopId, turnId, stepId } = step.body
  const scope = { loopId, turnId, stepId }
  const gates = [...step.gates.open.values()].map(
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
      calls.map((call) => results.get(call.executionId) ?? closeCall(step, call)),
    ),
  ]
}

/** What is known of a call of an open step: its refusal, its end, or what came of its gates. */
export function knownResult(
  step: StepFold,
  { executionId, toolUseId, refused }: StepCallBody,
): ToolResultMessage | undefined {
  const calls = step.body.calls.length
  return refused ?? step.ends.get(executionId) ?? step.gates.resultOf(executionId, toolUseId, calls)?.message
}

function closeCall(step: StepFold, call: StepCallBody): ToolResultMessage {
  const known = knownResult(step, call)
  if (known !== undefined) return known
  const mayHaveRun = step.runs.has(call.executionId)
  return closedResult({ toolUseId: call.toolUseId, result: undefined, mayHaveRun }).message
}
