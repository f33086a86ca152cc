import type { ToolDefinition } from '@looprig/tools'
import type { LoopChoice } from './loop-choice.ts'
import type { BaseMode, DefinedMode } from './loop-mode.ts'

/** A loop, as far as its modes concern it. */
interface ModalLoop extends BaseMode {
  readonly name: string
  readonly modes: readonly DefinedMode[]
}

/** The base mode, or the one of this name; `undefined` when the loop has no such mode. */
export function findMode(definition: ModalLoop, name: string): BaseMode | undefined {
  return name === '' ? definition : definition.modes.find((mode) => mode.name === name)
}

/**
 * A loop as it works after a choice: system, model, tools and limits are those in force.
 *
 * A model that was chosen counts more than the loop's own; a mode with a model of its own counts more than one that was
 * chosen before the mode began.
 *
 * @throws TypeError when the loop has no such mode: a restore refuses that before.
 */
export function effectiveLoop<Loop extends ModalLoop>(definition: Loop, choice: LoopChoice): Loop {
  const mode = findMode(definition, choice.mode)
  if (mode === undefined) throw new TypeError(`the loop ${definition.name} has no mode ${choice.mode}`)
  const { system, tools, limits } = mode
  const hasModel = definition.modes.some(({ name, hasModel: own }) => name === choice.mode && own)
  const isChosen = choice.isModelOfMode === true || !hasModel
  const model = (isChosen ? choice.model : undefined) ?? mode.model
  return Object.freeze({ ...definition, system, tools, limits, model })
}

/** Why a choice cannot keep the limit on the cost of a turn; `undefined` when it can. */
export function costFault(definition: ModalLoop, choice: LoopChoice): string | undefined {
  const { limits, model } = effectiveLoop(definition, choice)
  if (limits.cost === undefined) return undefined
  if (model.prices === undefined) return 'the cost of a turn is limited, and the model has no prices'
  const currency = findMode(definition, choice.mode)?.model.prices?.currency
  return currency === model.prices.currency ? undefined : `the cost of a turn is limited in ${currency}`
}

/** The definitions of a loop and of all its modes, each once. */
export function allTools({ tools, modes }: ModalLoop): readonly ToolDefinition[] {
  return [...new Set([...tools, ...modes.flatMap((mode) => mode.tools)])]
}
