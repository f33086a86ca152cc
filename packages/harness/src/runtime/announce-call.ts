import { closedCall, type OpenStep } from './open-step.ts'
import { previewResult, type ShapedResult } from './result-message.ts'
import type { StepCall } from './step-call.ts'
import type { TurnHost } from './turn-host.ts'

/** Tells watchers that a call began; `summary` is one line of what it does. */
export function announceStart(host: TurnHost, step: OpenStep, call: StepCall, summary: string): void {
  const { loopId, turnId, stepId } = step.scope
  const { executionId: toolExecutionId, toolUseId, name: toolName } = call
  host.emit({ type: 'ToolCallStarted', loopId, turnId, stepId, toolExecutionId, toolUseId, toolName, summary })
}

/** Tells watchers that a call has its result. */
export function announceEnd(host: TurnHost, step: OpenStep, call: StepCall, durationMs: number): void {
  if (call.result !== undefined) announceResult(host, step, call, call.result, durationMs)
}

/** A call that was refused before it ran starts and completes at once. */
export function announceRefused(host: TurnHost, step: OpenStep, call: StepCall): void {
  announceStart(host, step, call, call.prepared?.summary ?? call.name)
  announceEnd(host, step, call, 0)
}

/** The calls that were started and have not ended. */
export function unfinishedCalls(step: OpenStep): readonly StepCall[] {
  return step.calls.filter((call) => call.spawned && call.result === undefined)
}

/** Ends, for whoever watches, calls that were started and had not ended before their step was closed. */
export function announceUnfinished(host: TurnHost, step: OpenStep, calls: readonly StepCall[]): void {
  for (const call of calls) announceResult(host, step, call, closedCall(call), 0)
}

function announceResult(
  host: TurnHost,
  step: OpenStep,
  call: StepCall,
  { message, code }: ShapedResult,
  durationMs: number,
): void {
  const { loopId, turnId, stepId } = step.scope
  host.emit({
    type: 'ToolCallCompleted',
    loopId,
    turnId,
    stepId,
    toolExecutionId: call.executionId,
    toolUseId: call.toolUseId,
    toolName: call.name,
    isError: message.isError,
    ...(code === undefined ? {} : { code }),
    resultPreview: previewResult(message),
    durationMs,
  })
}
