import type { Usage } from '@looprig/core'
import type { History } from '../runtime/history.ts'

/**
 * How long the context is by what the provider said of the newest answer: all that it read and wrote. `undefined` when
 * none has said so since the last summary. What came after that answer is not in it.
 */
export function reportedTokens(history: History): number | undefined {
  const entries = history.entries()
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index]
    if (entry === undefined || entry.seq <= history.summarisedThrough) return undefined
    const [first] = entry.messages
    const tokens = first?.role === 'assistant' ? totalTokens(first.usage ?? {}) : undefined
    if (tokens !== undefined) return tokens
  }
  return undefined
}

function totalTokens({ inputTokens, cacheReadTokens, cacheCreationTokens, outputTokens }: Usage): number | undefined {
  // without them nobody knows how much was read
  if (inputTokens === undefined && cacheReadTokens === undefined) return undefined
  return (inputTokens ?? 0) + (cacheReadTokens ?? 0) + (cacheCreationTokens ?? 0) + (outputTokens ?? 0)
}
