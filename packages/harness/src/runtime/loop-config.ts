import { deepFreeze } from '@looprig/core'
import type { ToolSpec } from '@looprig/inference'
import type { Tool, ToolDefinition } from '@looprig/tools'
import type { LoopDefinition } from '../loop/define-loop.ts'
import { effectiveLoop } from '../loop/effective-loop.ts'
import type { LoopChoice } from '../loop/loop-choice.ts'

/** The tools of a loop and of all its modes, by the definition that built them; each is built once. */
export type LoopTools = ReadonlyMap<ToolDefinition, readonly Tool[]>

/** How a loop works from one turn on: a turn keeps the one that it began with. Frozen. */
export interface LoopConfig {
  readonly choice: LoopChoice
  /** With the system, model, tools and limits that are in force. */
  readonly loop: LoopDefinition
  /** By name. */
  readonly tools: ReadonlyMap<string, Tool>
  readonly toolSpecs: readonly ToolSpec[]
}

/** Makes the configuration of a choice. */
export function bindConfig(definition: LoopDefinition, built: LoopTools, choice: LoopChoice): LoopConfig {
  const loop = effectiveLoop(definition, choice)
  const tools = loop.tools.flatMap((tool) => built.get(tool) ?? [])
  return Object.freeze({
    choice,
    loop,
    tools: new Map(tools.map((tool) => [tool.info.name, tool])),
    toolSpecs: deepFreeze(
      tools.map(({ info: { name, description, inputSchema } }) => ({ name, description, inputSchema })),
    ),
  })
}
