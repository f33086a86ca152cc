import { type JsonValue, tokenCount, type Usage } from '@looprig/core'
import { objectOfMember } from '../../wire/json-members.ts'

/**
 * Reads token counts. Never throws: what is no whole number was not reported. The three parts of the input are disjoint
 * on the wire already; reasoning is in the output and not told apart.
 */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  const raw = objectOfMember(value) ?? {}
  const usage: { -readonly [K in keyof Usage]: number } = {}
  const input = tokenCount(raw.inputTokens)
  const output = tokenCount(raw.outputTokens)
  const cacheRead = tokenCount(raw.cacheReadInputTokens)
  const cacheCreation = tokenCount(raw.cacheWriteInputTokens)
  if (input !== undefined) usage.inputTokens = input
  if (output !== undefined) usage.outputTokens = output
  if (cacheRead !== undefined) usage.cacheReadTokens = cacheRead
  if (cacheCreation !== undefined) usage.cacheCreationTokens = cacheCreation
  return Object.keys(usage).length === 0 ? undefined : usage
}
