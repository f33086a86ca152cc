import type { AIMessage, ToolResultMessage } from '@looprig/core'
import type { EnduringBody } from '../event/event.ts'
import type { StepDone, StepScope } from '../event/step-event.ts'
import type { PermissionDecided } from '../event/tool-event.ts'
import type { OpenGate } from '../gate/open-gate.ts'
import type { StepBody } from '../journal/record-body.ts'
import type { ShapedResult } from './result-message.ts'
import { closedResult, type StepCall, stepCallBody } from './step-call.ts'

/** A step with calls, from the model's answer to its commit. */
export interface OpenStep {
  readonly scope: StepScope
  readonly message: AIMessage
  readonly calls: readonly StepCall[]
  /** Decisions whose records are not durable yet: they join the step's next append. */
  decisions: PermissionDecided[]
  /** Its `step` record is durable. */
  recorded: boolean
  /** No result is taken any more. */
  closed: boolean
}

/**
 * The `step` record's body.
 *
 * @param refused - the results of calls that are refused in the very append.
 */
export function openStepBody(step: OpenStep, refused: ReadonlyMap<StepCall, ShapedResult> = new Map()): StepBody {
  const calls = step.calls.map((call) => stepCallBody(call, refused.get(call)))
  const { loopId, turnId, stepId } = step.scope
  return { loopId, turnId, stepId, message: step.message, calls }
}

/**
 * The events that commit a step as it stands: abandoned gates, pending decisions, then `StepDone`.
 *
 * @param openGates - the gates of the step that nobody waits for any more.
 */
export function closeStep(step: OpenStep, openGates: readonly OpenGate[] = []): readonly EnduringBody[] {
  const results = step.calls.map((call) => closedCall(call).message)
  return [...openGates.map(abandoned), ...step.decisions, stepDone(step.scope, step.message, results)]
}

/** What a call of this process has when its step is closed: its result, or what nobody knows of it. */
export function closedCall(call: StepCall): ShapedResult {
  const mayHaveRun = call.recorded && call.spawned
  return closedResult({ toolUseId: call.toolUseId, result: call.result, mayHaveRun })
}

/** Makes the event of a step. */
export function stepDone(scope: StepScope, message: AIMessage, results: readonly ToolResultMessage[]): StepDone {
  const { loopId, turnId, stepId } = scope
  return { type: 'StepDone', loopId, turnId, stepId, messages: [message, ...results] }
}

/** The record of a gate that nobody waits for any more. */
export function abandoned({ loopId, turnId, stepId, gateId, toolExecutionId }: OpenGate) {
  return { type: 'GateResolved', loopId, turnId, stepId, gateId, toolExecutionId, reason: 'abandoned' } as const
}
