import type { JsonValue, Usage } from '@looprig/core'
import { objectOfMember } from '../../wire/json-members.ts'

/**
 * Reads token counts, those that are there. Never throws: `null`, or anything that is no whole number, was not
 * reported. The three parts of the input are disjoint on the wire already.
 */
export function readUsage(value: JsonValue | undefined): Usage {
  const raw = objectOfMember(value) ?? {}
  const usage: { -readonly [K in keyof Usage]: number } = {}
  const input = count(raw.input_tokens)
  const output = count(raw.output_tokens)
  const cacheRead = count(raw.cache_read_input_tokens)
  const cacheCreation = count(raw.cache_creation_input_tokens)
  const reasoning = count(objectOfMember(raw.output_tokens_details)?.thinking_tokens)
  if (input !== undefined) usage.inputTokens = input
  if (output !== undefined) usage.outputTokens = output
  if (cacheRead !== undefined) usage.cacheReadTokens = cacheRead
  if (cacheCreation !== undefined) usage.cacheCreationTokens = cacheCreation
  if (reasoning !== undefined) usage.reasoningTokens = reasoning
  return usage
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
