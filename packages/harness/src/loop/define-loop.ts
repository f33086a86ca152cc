import { deepFreeze } from '@looprig/core'
import type { InferenceClient, Model } from '@looprig/inference'
import type { ToolDefinition } from '@looprig/tools'
import { DefinitionError } from '../error/errors.ts'
import type { Gate } from '../gate/gate.ts'
import { type LoopLimits, resolveLimits } from './limits.ts'

/** What a loop is made of. */
export interface LoopOptions {
  /** Stable; letters, digits, `_` and `-`. It finds the loop again on restore. */
  readonly name: string
  /** The model's instructions. Default: none. */
  readonly system?: string | undefined
  readonly client: InferenceClient
  readonly model: Model
  /** Their tools' names must differ. Default: none. */
  readonly tools?: readonly ToolDefinition[] | undefined
  /** Decides on calls that need access. Without one every such call is denied. */
  readonly gate?: Gate | undefined
  readonly limits?: { readonly [K in keyof LoopLimits]?: number | undefined } | undefined
  /** How long an interrupted tool may take to end before its outcome counts as unknown. Default 5,000 ms, at most a day. */
  readonly drainTimeoutMs?: number | undefined
}

/** The frozen recipe of one agent. Any number of sessions can share it. */
export interface LoopDefinition {
  readonly name: string
  readonly system: string
  readonly client: InferenceClient
  readonly model: Model
  readonly tools: readonly ToolDefinition[]
  readonly gate: Gate | undefined
  readonly limits: LoopLimits
  readonly drainTimeoutMs: number
}

/** One day; timers of more than 24 days fire at once. */
const maxDrainTimeoutMs = 86_400_000

const loopName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/**
 * Defines one agent. The caller's objects are copied, except the client, the gate and the tool definitions.
 *
 * @throws DefinitionError naming the option at fault.
 */
export function defineLoop(options: LoopOptions): LoopDefinition {
  const { name, system = '', client, model, tools = [], gate, drainTimeoutMs = 5_000 } = options
  if (typeof name !== 'string' || !loopName.test(name))
    throw new DefinitionError('name', 'expected 1 to 64 letters, digits, _ or -')
  if (typeof client?.stream !== 'function') throw new DefinitionError('client', 'expected an inference client')
  if (!model?.name || !model.provider) throw new DefinitionError('model', 'expected a model with provider and name')
  if (!(drainTimeoutMs >= 0 && drainTimeoutMs <= maxDrainTimeoutMs)) {
    throw new DefinitionError('drainTimeoutMs', `expected 0 to ${maxDrainTimeoutMs} milliseconds`)
  }
  checkToolNames(tools)
  return Object.freeze({
    name,
    system,
    client,
    model: deepFreeze(structuredClone(model)),
    tools: Object.freeze([...tools]),
    gate,
    limits: resolveLimits(options.limits),
    drainTimeoutMs,
  })
}

function checkToolNames(tools: readonly ToolDefinition[]): void {
  const seen = new Set<string>()
  for (const [index, definition] of tools.entries()) {
    if (typeof definition?.build !== 'function') throw new DefinitionError(`tools[${index}]`, 'expected a definition')
    for (const { name } of definition.produces) {
      if (seen.has(name)) throw new DefinitionError(`tools[${index}]`, `a second tool named ${name}`)
      seen.add(name)
    }
  }
}
