import { isJsonObject } from '../json/json-value.ts'
import type { Schema } from '../schema/schema.ts'
import { data } from '../schema/schemas.ts'
import { soundUsage, type Usage } from './usage.ts'

const count = data.int()

const counts = data.object<Usage>()({
  inputTokens: count.exactOptional(),
  outputTokens: count.exactOptional(),
  cacheReadTokens: count.exactOptional(),
  cacheCreationTokens: count.exactOptional(),
  reasoningTokens: count.exactOptional(),
})

/** Reads a stored usage. A count that makes no sense counts as not reported: accounting never costs anyone content. */
export const usageSchema: Schema<Usage> = data.repaired(counts, (value) =>
  isJsonObject(value) ? soundUsage(value) : value,
)
