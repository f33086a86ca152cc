import { unsupported } from '../../failure/unsupported.ts'
import type { Model, Sampling } from '../../model/model.ts'

/** Sampling as this protocol family has it: what a request says over what its model says, field by field. */
export interface ChosenSampling {
  readonly temperature: number | undefined
  readonly topP: number | undefined
  readonly maxOutputTokens: number | undefined
  readonly stop: readonly string[]
  readonly effort: Sampling['effort']
}

/**
 * Chooses and checks the sampling of a request.
 *
 * @throws InferenceError `unsupported` for a value out of range, or an effort for a model without `thinking`.
 */
export function chooseSampling(model: Model, override: Sampling | undefined): ChosenSampling {
  const temperature = override?.temperature ?? model.sampling?.temperature
  const topP = override?.topP ?? model.sampling?.topP
  const maxOutputTokens = override?.maxOutputTokens ?? model.sampling?.maxOutputTokens
  const stop = override?.stop ?? model.sampling?.stop ?? []
  const effort = override?.effort ?? model.sampling?.effort
  checkRange('sampling.temperature', temperature)
  checkRange('sampling.topP', topP)
  if (maxOutputTokens !== undefined && !(Number.isSafeInteger(maxOutputTokens) && maxOutputTokens > 0)) {
    throw unsupported('sampling.maxOutputTokens', 'expected a whole number above 0')
  }
  if (effort !== undefined && model.capabilities?.thinking !== true) {
    throw unsupported('sampling.effort', 'the model has no thinking capability')
  }
  return { temperature, topP, maxOutputTokens, stop, effort }
}

function checkRange(part: string, value: number | undefined): void {
  if (value !== undefined && !(value >= 0 && value <= 1)) throw unsupported(part, 'expected 0 to 1')
}

/** What a response may have when nobody says: the protocol must have a number. */
const defaultMaxTokens = 4096

/** The most tokens of output to ask for. */
export function maxTokensOf(model: Model, { maxOutputTokens }: ChosenSampling): number {
  return maxOutputTokens ?? model.limits?.maxOutputTokens ?? defaultMaxTokens
}

/** How a request asks for thinking. */
export interface Thinking {
  readonly thinking: object
  /** Beside it, where the model is told in a word. */
  readonly effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max'
}

/**
 * Encodes the effort of a request; `undefined` where it asks for none.
 *
 * @throws InferenceError `unsupported` where it is not known how this model is told, or there is no room to think.
 */
export function encodeEffort(model: Model, effort: Sampling['effort'], maxTokens: number): Thinking | undefined {
  if (effort === undefined) return undefined
  switch (model.capabilities?.thinkingDialect) {
    case 'adaptive':
      if (effort === 'minimal') throw unsupported('sampling.effort', 'expected low or more for a model of this kind')
      return { thinking: { type: 'adaptive' }, effort }
    case 'budget':
      return { thinking: { type: 'enabled', budget_tokens: budgetOf(effort, maxTokens) } }
    default:
      throw unsupported(
        'model.capabilities.thinkingDialect',
        'expected adaptive or budget, to tell the model its effort',
      )
  }
}

/** The smallest budget that the provider takes. */
const minBudgetTokens = 1024

/** Of the output, in hundredths. */
const budgetShares = { minimal: 10, low: 25, medium: 50, high: 75, xhigh: 85, max: 90 } as const

function budgetOf(effort: keyof typeof budgetShares, maxTokens: number): number {
  const budget = Math.max(minBudgetTokens, Math.floor((maxTokens * budgetShares[effort]) / 100))
  if (budget < maxTokens) return budget
  throw unsupported('sampling.maxOutputTokens', `expected more than ${minBudgetTokens}, which thinking needs at least`)
}
