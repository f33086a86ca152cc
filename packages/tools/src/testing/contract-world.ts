import { type JsonObject, parseId, uuidV7 } from '@looprig/core'
import type { AvailableBindings } from '../contract/bindings.ts'
import { buildTools } from '../contract/build-tools.ts'
import type { ToolDefinition } from '../contract/definition.ts'
import { type PreparedCall, seal } from '../contract/prepared-call.ts'
import type { ToolResult } from '../contract/result.ts'
import type { CallContext, PreparedRequest, Tool } from '../contract/tool.ts'

/** What one test of the suite runs against. */
export interface ToolContractWorld {
  readonly definition: ToolDefinition
  /** What it requires besides the ids, for example `{ workspace }`. */
  readonly bindings?: Omit<AvailableBindings, 'sessionId' | 'loopId'> | undefined
  /** Arguments of a call that succeeds in this world. */
  readonly args: JsonObject
  /** The tool to call, where the definition has several. Default: the first. */
  readonly toolName?: string | undefined
  /** A picture of all that the tool could change, compared before and after what must have no effect. */
  readonly observe?: (() => unknown) | undefined
  /** Takes the world down. */
  readonly close?: (() => void | Promise<void>) | undefined
}

/** A tool that was built in a world of its own. */
export interface ContractCase {
  readonly world: ToolContractWorld
  readonly tool: Tool
  readonly argsJson: string
}

/** Builds the tool of a world. */
export async function buildCase(world: ToolContractWorld): Promise<ContractCase> {
  const tools = await buildTools(world.definition, newBindings(world))
  const tool = world.toolName === undefined ? tools[0] : tools.find(({ info }) => info.name === world.toolName)
  if (tool === undefined) throw new TypeError('toolName: the definition has no such tool')
  return { world, tool, argsJson: JSON.stringify(world.args) }
}

export function newBindings(world: ToolContractWorld): AvailableBindings {
  return { sessionId: parseId('SessionId', uuidV7()), loopId: parseId('LoopId', uuidV7()), ...world.bindings }
}

export function newCall(signal: AbortSignal = new AbortController().signal): CallContext {
  return { executionId: parseId('ToolExecutionId', uuidV7()), toolUseId: 'call_contract', signal }
}

export function sealFor(call: CallContext, prepared: PreparedRequest): PreparedCall {
  return seal({ executionId: call.executionId, ...prepared })
}

/** Prepares, seals and runs; `argsJson` of the run may differ, since it must not matter. */
export async function runCase({ tool, argsJson }: ContractCase, argsJsonOfRun: string = argsJson): Promise<ToolResult> {
  const call = newCall()
  const prepared = await tool.prepareCall(call, argsJson)
  return tool.invoke({ ...call, prepared: sealFor(call, prepared) }, argsJsonOfRun)
}
