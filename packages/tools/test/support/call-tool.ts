import { type JsonObject, parseId, type ToolExecutionId, textOf, uuidV7 } from '@looprig/core'
import {
  buildTools,
  type CallContext,
  type PreparedRequest,
  seal,
  type Tool,
  type ToolDefinition,
  type ToolResult,
} from '@looprig/tools'

/** The ids that a build needs. */
export function newIdentity() {
  return { sessionId: parseId('SessionId', uuidV7()), loopId: parseId('LoopId', uuidV7()) }
}

export function newExecutionId(): ToolExecutionId {
  return parseId('ToolExecutionId', uuidV7())
}

export function newContext(signal: AbortSignal = new AbortController().signal): CallContext {
  return { executionId: newExecutionId(), toolUseId: 'call_1', signal }
}

/** Builds a definition of one tool over a workspace. */
export async function buildTool(definition: ToolDefinition, root: string): Promise<Tool> {
  const [tool] = await buildTools(definition, { ...newIdentity(), workspace: { root } })
  if (tool === undefined) throw new Error('the definition has no tool')
  return tool
}

/** Seals and runs what was prepared. */
export function invokePrepared(
  tool: Tool,
  context: CallContext,
  prepared: PreparedRequest,
  argsJson = '{}',
): Promise<ToolResult> {
  return tool.invoke({ ...context, prepared: seal({ executionId: context.executionId, ...prepared }) }, argsJson)
}

/** Prepares, seals and runs one call. */
export async function callTool(
  definition: ToolDefinition,
  root: string,
  args: JsonObject,
  signal?: AbortSignal,
): Promise<ToolResult> {
  const tool = await buildTool(definition, root)
  const context = newContext(signal)
  const argsJson = JSON.stringify(args)
  return invokePrepared(tool, context, await tool.prepareCall(context, argsJson), argsJson)
}

/** What the model reads. */
export function textOfResult(result: ToolResult): string {
  return textOf(result.content)
}
