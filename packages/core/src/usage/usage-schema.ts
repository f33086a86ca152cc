import { z } from 'zod'
import type { SameKeys } from '../content/same-keys.ts'
import { isJsonObject } from '../json/json-value.ts'
import { soundUsage, type Usage } from './usage.ts'

const count = z.number().int().nonnegative()

const counts = z.looseObject({
  inputTokens: count.exactOptional(),
  outputTokens: count.exactOptional(),
  cacheReadTokens: count.exactOptional(),
  cacheCreationTokens: count.exactOptional(),
  reasoningTokens: count.exactOptional(),
})

/** The schema beside its interface, with equal keys. */
export const checkedUsageKeys: true = true satisfies SameKeys<typeof counts, Usage>

/** Reads a stored usage. A count that makes no sense counts as not reported: accounting never costs anyone content. */
export const usageSchema: z.ZodType<Usage> = z.preprocess(
  (value) => (isJsonObject(value) ? soundUsage(value) : value),
  counts,
)
