import type { Model } from '@looprig/inference'

/** What was chosen of a loop since its definition. The journal alone tells it. */
export interface LoopChoice {
  /** `''`: the base mode. */
  readonly mode: string
  /** The model that was chosen last. */
  readonly model?: Model
  /** The model was chosen in this mode: it counts more than the mode's own. */
  readonly isModelOfMode?: true
}

/** Another mode; a model that was chosen before stays, but counts less than the mode's own. */
export function chooseMode({ model }: LoopChoice, mode: string): LoopChoice {
  return Object.freeze({ mode, ...(model === undefined ? {} : { model }) })
}

/** Another model. */
export function chooseModel({ mode }: LoopChoice, model: Model): LoopChoice {
  return Object.freeze({ mode, model, isModelOfMode: true })
}
