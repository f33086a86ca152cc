import type { FinishReason, StreamEvent, Usage } from '@looprig/core'

/** What the end of a response says of it. */
export interface ConverseEnd {
  readonly rawReason: string | undefined
  readonly hasToolCalls: boolean
  readonly usage: Usage | undefined
}

/** Makes the `finish` event. Models that say that the turn ended after tool calls mean `tool_use`. */
export function finishEvent({ rawReason, hasToolCalls, usage }: ConverseEnd): StreamEvent {
  const reason = finishReason(rawReason)
  const plain = reason === 'stop' || rawReason === undefined
  return {
    type: 'finish',
    reason: plain && hasToolCalls ? 'tool_use' : reason,
    ...(rawReason === undefined ? {} : { rawReason }),
    ...(usage === undefined ? {} : { usage }),
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
    case 'content_filtered':
    case 'guardrail_intervened':
      return 'content_filter'
    default:
      return 'unknown'
  }
}
