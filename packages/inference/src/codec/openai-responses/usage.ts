import { type JsonValue, tokenCount, type Usage } from '@looprig/core'
import { objectOfMember } from '../../wire/json-members.ts'

/**
 * Reads token counts. Never throws: a count that is no whole number is taken as not reported, and parts that do not
 * add up are clamped, since accounting must not cost anyone an answer. What was read from a cache or written to one is
 * a part of the wire's input and is taken out of ours.
 */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  const raw = objectOfMember(value)
  if (raw === undefined) return undefined
  const inputDetails = objectOfMember(raw.input_tokens_details)
  const input = tokenCount(raw.input_tokens)
  const output = tokenCount(raw.output_tokens)
  const cacheRead = tokenCount(inputDetails?.cached_tokens)
  const cacheCreation = tokenCount(inputDetails?.cache_write_tokens)
  const reasoning = tokenCount(objectOfMember(raw.output_tokens_details)?.reasoning_tokens)

  const usage: { -readonly [K in keyof Usage]: number } = {}
  if (input !== undefined) usage.inputTokens = Math.max(0, input - (cacheRead ?? 0) - (cacheCreation ?? 0))
  if (output !== undefined) usage.outputTokens = output
  if (cacheRead !== undefined) usage.cacheReadTokens = Math.min(cacheRead, input ?? cacheRead)
  if (cacheCreation !== undefined) usage.cacheCreationTokens = cacheCreation
  if (reasoning !== undefined) usage.reasoningTokens = Math.min(reasoning, output ?? reasoning)
  return Object.keys(usage).length === 0 ? undefined : usage
}
