import { parseId, uuidV7 } from '@looprig/core'
import type { AvailableBindings } from '../contract/bindings.ts'
import { buildTools } from '../contract/build-tools.ts'
import type { ToolDefinition } from '../contract/definition.ts'
import { type PreparedCall, seal } from '../contract/prepared-call.ts'
import type { ToolResult } from '../contract/result.ts'
import type { CallContext, PreparedRequest, Tool } from '../contract/tool.ts'
import type { ConformanceCase, ConformanceWorld } from './conformance-case.ts'

/** A tool that was built in a world of its own, for one test. */
export interface Subject {
  readonly case: ConformanceCase
  readonly world: ConformanceWorld
  readonly definition: ToolDefinition
  readonly available: AvailableBindings
  readonly tool: Tool
  readonly argsJson: string
}

/** Builds the tool of a case in its world. */
export async function buildSubject(
  defined: ToolDefinition,
  conformanceCase: ConformanceCase,
  world: ConformanceWorld,
): Promise<Subject> {
  const definition = world.definition ?? defined
  const available = { ...newIds(), ...world.bindings }
  const tools = await buildTools(definition, available)
  const { tool: name = definition.produces[0]?.name } = conformanceCase
  const tool = tools.find(({ info }) => info.name === name)
  if (tool === undefined) throw new TypeError('tool: the definition has no such tool')
  return { case: conformanceCase, world, definition, available, tool, argsJson: JSON.stringify(world.args) }
}

function newIds(): Pick<AvailableBindings, 'sessionId' | 'loopId'> {
  return { sessionId: parseId('SessionId', uuidV7()), loopId: parseId('LoopId', uuidV7()) }
}

/** A call of its own; nothing else has its execution id. */
export function newCall(signal: AbortSignal = new AbortController().signal): CallContext {
  return { executionId: parseId('ToolExecutionId', uuidV7()), toolUseId: 'call_conformance', signal }
}

/** Seals what was prepared, for the call that it was prepared for. */
export function sealFor(call: CallContext, { request, artifact }: PreparedRequest): PreparedCall {
  return seal({ executionId: call.executionId, request, artifact })
}

/** Prepares, seals and runs; `argsJson` of the run may differ, since it must not matter. */
export async function runSubject({ tool, argsJson }: Subject, argsJsonOfRun: string = argsJson): Promise<ToolResult> {
  const call = newCall()
  const prepared = await tool.prepareCall(call, argsJson)
  return tool.invoke({ ...call, prepared: sealFor(call, prepared) }, argsJsonOfRun)
}
