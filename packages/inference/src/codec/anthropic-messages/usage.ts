import { type JsonValue, tokenCount, type Usage } from '@looprig/core'
import { objectOfMember } from '../../wire/json-members.ts'

/**
 * Reads token counts, those that are there. Never throws: `null`, or anything that is no whole number, was not
 * reported. The three parts of the input are disjoint on the wire already.
 */
export function readUsage(value: JsonValue | undefined): Usage {
  const raw = objectOfMember(value) ?? {}
  const usage: { -readonly [K in keyof Usage]: number } = {}
  const input = tokenCount(raw.input_tokens)
  const output = tokenCount(raw.output_tokens)
  const cacheRead = tokenCount(raw.cache_read_input_tokens)
  const cacheCreation = tokenCount(raw.cache_creation_input_tokens)
  const reasoning = tokenCount(objectOfMember(raw.output_tokens_details)?.thinking_tokens)
  if (input !== undefined) usage.inputTokens = input
  if (output !== undefined) usage.outputTokens = output
  if (cacheRead !== undefined) usage.cacheReadTokens = cacheRead
  if (cacheCreation !== undefined) usage.cacheCreationTokens = cacheCreation
  if (reasoning !== undefined) usage.reasoningTokens = reasoning
  return usage
}
