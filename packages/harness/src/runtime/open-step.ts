import type { AIMessage, ToolResultMessage } from '@looprig/core'
import type { EnduringBody } from '../event/event.ts'
import type { StepDone, StepScope } from '../event/step-event.ts'
import type { PermissionDecided } from '../event/tool-event.ts'
import type { StepBody } from '../journal/record-body.ts'
import type { ShapedResult } from './result-message.ts'
import { closedResult, type StepCall, stepCallBody } from './step-call.ts'

/** A step with calls, from the model's answer to its commit. */
export interface OpenStep {
  readonly scope: StepScope
  readonly message: AIMessage
  readonly calls: readonly StepCall[]
  /** Decisions whose records are not durable yet: they join the step's first append. */
  decisions: PermissionDecided[]
  /** Its `step` record is durable. */
  recorded: boolean
  /** No result is taken any more. */
  closed: boolean
}

/** The `step` record's body. */
export function openStepBody(step: OpenStep): StepBody {
  return { ...step.scope, message: step.message, calls: step.calls.map(stepCallBody) }
}

/** The events that commit a step as it stands: pending decisions, abandoned gates, then `StepDone`. */
export function closeStep(step: OpenStep, openGates: readonly StepCall[] = []): readonly EnduringBody[] {
  const results = step.calls.map((call) => closedCall(call).message)
  return [...abandonGates(step.scope, openGates), ...step.decisions, stepDone(step.scope, step.message, results)]
}

/** What a call of this process has when its step is closed: its result, or what nobody knows of it. */
export function closedCall(call: StepCall): ShapedResult {
  const mayHaveRun = call.recorded && call.spawned
  return closedResult({ toolUseId: call.toolUseId, result: call.result, mayHaveRun })
}

/** Makes the event of a step. */
export function stepDone(scope: StepScope, message: AIMessage, results: readonly ToolResultMessage[]): StepDone {
  return { type: 'StepDone', ...scope, messages: [message, ...results] }
}

function abandonGates(scope: StepScope, calls: readonly StepCall[]): readonly EnduringBody[] {
  return calls.flatMap(({ gateId, executionId }) =>
    gateId === undefined
      ? []
      : [{ type: 'GateResolved', ...scope, gateId, toolExecutionId: executionId, reason: 'abandoned' } as const],
  )
}
