import type { JsonObject, JsonValue, Usage } from '@looprig/core'
import { objectOfMember } from '../../wire/json-members.ts'

/** The usage of a response or of a frame: its own, or where Groq and Moonshot put it. */
export function usageOf(object: JsonObject, choice: JsonObject | undefined): Usage | undefined {
  return readUsage(object.usage) ?? readUsage(objectOfMember(object.x_groq)?.usage) ?? readUsage(choice?.usage)
}

/**
 * Reads token counts. Never throws: a count that is no whole number is taken as not reported, and parts that do not
 * add up are clamped, since accounting must not cost anyone an answer.
 *
 * Cached tokens are a part of the wire's input and are taken out of ours. Where a server counts reasoning beside the
 * output (its total says so, as xAI's does), it is added to the output, of which ours is a part. More reasoning than
 * output is kept as it was told.
 */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  const raw = objectOfMember(value)
  if (raw === undefined) return undefined
  const promptDetails = objectOfMember(raw.prompt_tokens_details) ?? {}
  const outputDetails = objectOfMember(raw.completion_tokens_details) ?? {}
  const prompt = count(raw.prompt_tokens)
  const cacheRead = count(promptDetails.cached_tokens) ?? count(raw.prompt_cache_hit_tokens)
  const cacheCreation = count(promptDetails.cache_write_tokens)
  const reasoning = count(outputDetails.reasoning_tokens)
  const output = outputTokens(count(raw.completion_tokens), reasoning, prompt, count(raw.total_tokens))

  const usage: { -readonly [K in keyof Usage]: number } = {}
  if (prompt !== undefined) usage.inputTokens = Math.max(0, prompt - (cacheRead ?? 0) - (cacheCreation ?? 0))
  if (output !== undefined) usage.outputTokens = output
  if (cacheRead !== undefined) usage.cacheReadTokens = Math.min(cacheRead, prompt ?? cacheRead)
  if (cacheCreation !== undefined) usage.cacheCreationTokens = cacheCreation
  if (reasoning !== undefined) usage.reasoningTokens = reasoning
  return Object.keys(usage).length === 0 ? undefined : usage
}

function outputTokens(
  completion: number | undefined,
  reasoning: number | undefined,
  prompt: number | undefined,
  total: number | undefined,
): number | undefined {
  if (completion === undefined || !reasoning || total === undefined) return completion
  const beside = total === (prompt ?? 0) + completion + reasoning
  return beside ? completion + reasoning : completion
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
