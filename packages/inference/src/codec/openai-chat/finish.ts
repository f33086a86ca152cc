import type { FinishReason, StreamEvent, Usage } from '@looprig/core'
import { InferenceError, type InferenceErrorCode } from '../../failure/errors.ts'

/** What the end of a response says of it. */
export interface ChatEnd {
  /** The provider's word; absent when it gave none, or an empty one. */
  readonly rawReason: string | undefined
  readonly hasToolCalls: boolean
  readonly usage: Usage | undefined
  readonly model: string | undefined
}

/**
 * Makes the `finish` event. Servers that say `stop`, or nothing, after tool calls mean `tool_use`; no word after plain
 * text stays `unknown`, never a clean `stop`.
 *
 * @throws InferenceError `overloaded` or `server_error` for a word by which a server says that it broke off.
 */
export function finishEvent({ rawReason, hasToolCalls, usage, model }: ChatEnd): StreamEvent {
  const failure = rawReason === undefined ? undefined : failures.get(rawReason)
  if (failure !== undefined) throw new InferenceError(failure, `the provider broke the response off: ${rawReason}`)
  const reason = finishReason(rawReason ?? '')
  const plain = reason === 'stop' || !rawReason
  return {
    type: 'finish',
    reason: plain && hasToolCalls ? 'tool_use' : reason,
    ...(rawReason === undefined ? {} : { rawReason }),
    ...(usage === undefined ? {} : { usage }),
    ...(model === undefined ? {} : { model }),
  }
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
