import type { FinishReason } from '@looprig/core'

/** The neutral reason; calls make the turn go on only where the model stopped by itself. */
export function finishReason(rawReason: string, hasCalls: boolean): FinishReason {
  if (rawReason === 'STOP') return hasCalls ? 'tool_use' : 'stop'
  return reasons.get(rawReason) ?? 'unknown'
}

/** Reasons by which the provider says that the model made a call which nobody can run. */
export function isBrokenCall(rawReason: string): boolean {
  return rawReason === 'MALFORMED_FUNCTION_CALL' || rawReason === 'UNEXPECTED_TOOL_CALL'
}

const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['LANGUAGE', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['MODEL_ARMOR', 'content_filter'],
  ['IMAGE_SAFETY', 'content_filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
  ['IMAGE_RECITATION', 'content_filter'],
])
