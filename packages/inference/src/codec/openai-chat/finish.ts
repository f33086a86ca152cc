import type { FinishReason, StreamEvent } from '@looprig/core'
import { InferenceError, type InferenceErrorCode } from '../../failure/errors.ts'
import { finishEventOf, type ResponseEnd } from '../finish-event.ts'

/**
 * Makes the `finish` event.
 *
 * @throws InferenceError `overloaded` or `server_error` for a word by which a server says that it broke off.
 */
export function finishEvent(end: Omit<ResponseEnd, 'reason'>): StreamEvent {
  const { rawReason = '' } = end
  const failure = failures.get(rawReason)
  if (failure !== undefined) throw new InferenceError(failure, `the provider broke the response off: ${rawReason}`)
  return finishEventOf({ ...end, reason: finishReason(rawReason) })
}

/** What a word says, in whatever letters; servers that stand in front of other protocols pass on the words of those. */
export function finishReason(rawReason: string): FinishReason {
  return reasons.get(rawReason.toLowerCase()) ?? 'unknown'
}

const failures: ReadonlyMap<string, InferenceErrorCode> = new Map([
  ['insufficient_system_resource', 'overloaded'],
  ['error', 'server_error'],
  ['network_error', 'server_error'],
  ['abort', 'server_error'],
])

const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['length', 'length'],
  ['model_length', 'length'],
  ['max_tokens', 'length'],
  ['tool_calls', 'tool_use'],
  ['function_call', 'tool_use'],
  ['tool_use', 'tool_use'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['sensitive', 'content_filter'],
])
