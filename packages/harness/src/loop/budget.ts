import type { Usage } from '@looprig/core'
import type { Model, ModelPrices } from '@looprig/inference'
import type { ErrorInfo } from '../error/errors.ts'
import type { LoopLimits } from './limits.ts'

/** What a usage costs at these prices, in their currency. What was not reported counts as nothing. */
export function costOf(usage: Usage, prices: ModelPrices): number {
  const { inputPerMillion, cacheReadPerMillion = inputPerMillion, cacheCreationPerMillion = inputPerMillion } = prices
  const millionths =
    (usage.inputTokens ?? 0) * inputPerMillion +
    (usage.outputTokens ?? 0) * prices.outputPerMillion +
    (usage.cacheReadTokens ?? 0) * cacheReadPerMillion +
    (usage.cacheCreationTokens ?? 0) * cacheCreationPerMillion
  return millionths / 1_000_000
}

/**
 * Says why a turn that has used this much may not ask its model again. A budget that nobody can keep, since the model
 * reports no usage or has no prices, is used up as well.
 */
export function budgetFault(
  { limits, model }: { limits: LoopLimits; model: Model },
  usage: Usage,
): ErrorInfo | undefined {
  const { tokens, cost } = limits
  if (tokens === undefined && cost === undefined) return undefined
  if (usage.inputTokens === undefined && usage.outputTokens === undefined) {
    return exceeded('the model reports no usage, so that its budget cannot be kept')
  }
  if (tokens !== undefined && totalTokens(usage) >= tokens) return exceeded(`the turn has used its ${tokens} tokens`)
  if (cost === undefined) return undefined
  const { prices } = model
  if (prices === undefined) return exceeded('the model has no prices, so that its budget cannot be kept')
  return costOf(usage, prices) >= cost ? exceeded(`the turn has cost its ${cost} ${prices.currency}`) : undefined
}

function exceeded(message: string): ErrorInfo {
  return { code: 'budget_exceeded', message }
}

/** All tokens that a provider bills; reasoning is a part of the output. */
function totalTokens({ inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens }: Usage): number {
  return (inputTokens ?? 0) + (outputTokens ?? 0) + (cacheReadTokens ?? 0) + (cacheCreationTokens ?? 0)
}
