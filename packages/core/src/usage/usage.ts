import { z } from 'zod'

/**
 * Tokens that one response cost. The three input parts are disjoint; `reasoningTokens` is a part of `outputTokens`.
 * An absent field was not reported, which is not zero.
 */
export interface Usage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cacheReadTokens?: number
  readonly cacheCreationTokens?: number
  readonly reasoningTokens?: number
}

const fields = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens', 'reasoningTokens'] as const

const count = z.number().int().nonnegative()

/** Reads a stored usage. */
export const usageSchema = z.looseObject({
  inputTokens: count.exactOptional(),
  outputTokens: count.exactOptional(),
  cacheReadTokens: count.exactOptional(),
  cacheCreationTokens: count.exactOptional(),
  reasoningTokens: count.exactOptional(),
})

/** Adds two usages field by field. Never throws: a sum stops at the largest safe integer. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: { -readonly [K in keyof Usage]: number } = {}
  for (const field of fields) {
    const left = a[field]
    const right = b[field]
    if (left === undefined && right === undefined) continue
    sum[field] = Math.min((left ?? 0) + (right ?? 0), Number.MAX_SAFE_INTEGER)
  }
  return sum
}
