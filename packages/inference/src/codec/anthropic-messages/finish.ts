import type { FinishReason, StreamEvent, Usage } from '@looprig/core'

/** What the end of a response says of it. */
export interface MessageEnd {
  /** The provider's word; absent when it gave none. */
  readonly rawReason: string | undefined
  readonly hasToolCalls: boolean
  readonly usage: Usage
  readonly model: string | undefined
}

/**
 * Makes the `finish` event. Servers that say that the turn ended, or nothing, after tool calls mean `tool_use`; no word
 * after plain text stays `unknown`, never a clean `stop`.
 */
export function finishEvent({ rawReason, hasToolCalls, usage, model }: MessageEnd): StreamEvent {
  const reason = finishReason(rawReason)
  const plain = reason === 'stop' || rawReason === undefined
  return {
    type: 'finish',
    reason: plain && hasToolCalls ? 'tool_use' : reason,
    ...(rawReason === undefined ? {} : { rawReason }),
    ...(Object.keys(usage).length === 0 ? {} : { usage: withinOutput(usage) }),
    ...(model === undefined ? {} : { model }),
  }
}

function finishReason(rawReason: string | undefined): FinishReason {
  switch (rawReason) {
    case 'end_turn':
    case 'stop_sequence':
      return 'stop'
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length'
    case 'tool_use':
      return 'tool_use'
    case 'refusal':
      return 'content_filter'
    case 'pause_turn':
      return 'pause'
    default:
      return 'unknown'
  }
}

/** Reasoning is a part of the output, whatever the parts of two reports came to. */
function withinOutput(usage: Usage): Usage {
  const { reasoningTokens, outputTokens } = usage
  if (reasoningTokens === undefined || outputTokens === undefined || reasoningTokens <= outputTokens) return usage
  return { ...usage, reasoningTokens: outputTokens }
}
