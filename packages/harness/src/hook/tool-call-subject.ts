import type { StepScope } from '../event/step-event.ts'
import type { RunnableCall } from '../runtime/step-call.ts'
import type { HookScope, ToolCallSubject } from './hook-subject.ts'

/** What hooks are told of a prepared call. */
export function toolCallSubject(hook: HookScope, step: StepScope, call: RunnableCall): ToolCallSubject {
  const { executionId, toolUseId, name, tool, prepared } = call
  const { summary, request, artifact } = prepared
  return {
    ...hook,
    ...step,
    toolExecutionId: executionId,
    toolUseId,
    toolName: name,
    summary,
    request,
    artifact,
    replaySafe: tool.replaySafe,
  }
}
