import type { FinishReason, StreamEvent, Usage } from '@looprig/core'
import { finishEventOf, type ResponseEnd } from '../finish-event.ts'

/** What the words of the protocol mean; Bedrock has the same for most of them. */
export const turnReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_use'],
])

const ownReasons: ReadonlyMap<string, FinishReason> = new Map([
  ...turnReasons,
  ['refusal', 'content_filter'],
  ['pause_turn', 'pause'],
])

/** Makes the `finish` event. */
export function finishEvent({ usage, ...end }: Omit<ResponseEnd, 'reason'> & { readonly usage: Usage }): StreamEvent {
  const reason = ownReasons.get(end.rawReason ?? '') ?? 'unknown'
  return finishEventOf({ ...end, reason, usage: soundReport(usage) })
}

/** Reasoning is a part of the output, whatever the parts of two reports came to; absent when nothing was reported. */
function soundReport(usage: Usage): Usage | undefined {
  const { reasoningTokens, outputTokens } = usage
  if (reasoningTokens !== undefined && outputTokens !== undefined && reasoningTokens > outputTokens) {
    return { ...usage, reasoningTokens: outputTokens }
  }
  return Object.keys(usage).length === 0 ? undefined : usage
}
