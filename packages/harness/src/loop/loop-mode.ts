import type { Model } from '@looprig/inference'
import type { ToolDefinition } from '@looprig/tools'
import { DefinitionError } from '../error/errors.ts'
import { checkTools } from './check-tools.ts'
import { type LimitOptions, type LoopLimits, resolveLimits } from './limits.ts'
import { copyModel } from './model-schema.ts'

/** A way in which one loop can work. What it leaves out is as in the loop itself. */
export interface LoopMode {
  /** Letters, digits, `_` and `-`; it finds the mode again on restore. */
  readonly name: string
  /** Asked through the loop's client. */
  readonly model?: Model | undefined
  /** Instead of the loop's tools; an empty list is no tool at all. A definition that the loop has too is built once. */
  readonly tools?: readonly ToolDefinition[] | undefined
  /** Each instead of the loop's. */
  readonly limits?: LimitOptions | undefined
  /** Added to the loop's `system`, after a blank line. */
  readonly instructions?: string | undefined
}

/** What a mode is beside: the loop as it is without one. */
export interface BaseMode {
  readonly system: string
  readonly model: Model
  readonly tools: readonly ToolDefinition[]
  readonly limits: LoopLimits
}

/** A mode that is checked and copied, complete with what it took from its loop. */
export interface DefinedMode extends BaseMode {
  readonly name: string
  /** It named a model of its own. */
  readonly hasModel: boolean
}

const maxModes = 64

const modeName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/**
 * Checks and copies the modes of a loop.
 *
 * @throws DefinitionError naming the option at fault, for example `modes[1].tools[0]`.
 */
export function defineModes(modes: readonly LoopMode[], base: BaseMode): readonly DefinedMode[] {
  if (!Array.isArray(modes)) throw new DefinitionError('modes', 'expected a list')
  if (modes.length > maxModes) throw new DefinitionError('modes', `expected at most ${maxModes}`)
  const names = new Set<string>()
  return Object.freeze(
    modes.map((mode: LoopMode, index) => {
      const defined = defineMode(mode, base, `modes[${index}]`)
      if (names.has(defined.name)) throw new DefinitionError(`modes[${index}].name`, `a second mode ${defined.name}`)
      names.add(defined.name)
      return defined
    }),
  )
}

function defineMode(mode: LoopMode, base: BaseMode, field: string): DefinedMode {
  const { name, model, tools, limits, instructions = '' } = mode ?? {}
  if (typeof name !== 'string' || !modeName.test(name)) {
    throw new DefinitionError(`${field}.name`, 'expected 1 to 64 letters, digits, _ or -')
  }
  if (typeof instructions !== 'string') throw new DefinitionError(`${field}.instructions`, 'expected a text')
  if (tools !== undefined) checkTools(tools, `${field}.tools`)
  const ownModel = model === undefined ? undefined : copyModel(`${field}.model`, model)
  if (ownModel !== undefined && limits?.cost === undefined && base.limits.cost !== undefined) {
    checkCurrency(ownModel, base.model, `${field}.model.prices.currency`)
  }
  return Object.freeze({
    name,
    hasModel: ownModel !== undefined,
    model: ownModel ?? base.model,
    tools: tools === undefined ? base.tools : Object.freeze([...tools]),
    limits: resolveLimits(limits, base.limits, `${field}.limits`),
    system: [base.system, instructions].filter((text) => text !== '').join('\n\n'),
  })
}

/** The loop's limit on the cost is an amount of its own currency. */
function checkCurrency({ prices }: Model, base: Model, field: string): void {
  if (prices === undefined || prices.currency === base.prices?.currency) return
  throw new DefinitionError(field, `expected ${base.prices?.currency}, since the loop limits the cost in it`)
}
