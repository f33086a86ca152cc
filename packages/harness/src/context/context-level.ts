import type { ModelLimits } from '@looprig/inference'

/** How full the context is: `compact` from `compactAt` on and until it falls below `rearmBelow`, `hard` at the limit. */
export type ContextLevel = 'normal' | 'compact' | 'hard'

/** What of the window stays free, in tokens. */
export interface FreeRoom {
  readonly reservedOutputTokens: number
  readonly safetyMarginTokens: number
}

/** The shares of the limit at which the level changes. */
export interface LevelShares {
  readonly compactAt: number
  readonly rearmBelow: number
}

/**
 * The most tokens that a request may have: the window without what the answer and the margin need. `undefined` when
 * the window is not known or leaves nothing; a limit is never made up.
 */
export function inputLimit(
  { reservedOutputTokens, safetyMarginTokens }: FreeRoom,
  { windowTokens, maxOutputTokens = reservedOutputTokens }: ModelLimits = {},
): number | undefined {
  if (windowTokens === undefined) return undefined
  const limit = windowTokens - Math.min(reservedOutputTokens, maxOutputTokens) - safetyMarginTokens
  return limit > 0 ? limit : undefined
}

/** The level of a measure that follows one of level `previous`. */
export function levelOf(
  { compactAt, rearmBelow }: LevelShares,
  measure: { readonly inputTokens: number; readonly limitTokens: number },
  previous: ContextLevel,
): ContextLevel {
  const share = measure.inputTokens / measure.limitTokens
  if (share >= 1) return 'hard'
  if (share >= compactAt) return 'compact'
  return previous !== 'normal' && share >= rearmBelow ? 'compact' : 'normal'
}
