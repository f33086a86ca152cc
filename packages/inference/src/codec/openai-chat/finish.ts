import type { FinishReason, StreamEvent, Usage } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'

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
 * @throws InferenceError `overloaded` for the word by which a server says that it broke off.
 */
export function finishEvent({ rawReason, hasToolCalls, usage, model }: ChatEnd): StreamEvent {
  if (rawReason === 'insufficient_system_resource') {
    throw new InferenceError('overloaded', 'the provider broke the response off: insufficient_system_resource')
  }
  const reason = finishReason(rawReason)
  const plain = reason === 'stop' || rawReason === undefined
  return {
    type: 'finish',
    reason: plain && hasToolCalls ? 'tool_use' : reason,
    ...(rawReason === undefined ? {} : { rawReason }),
    ...(usage === undefined ? {} : { usage }),
    ...(model === undefined ? {} : { model }),
  }
}

function finishReason(rawReason: string | undefined): FinishReason {
  switch (rawReason) {
    case 'stop':
      return 'stop'
    case 'length':
    case 'model_length':
      return 'length'
    case 'tool_calls':
    case 'function_call':
      return 'tool_use'
    case 'content_filter':
      return 'content_filter'
    default:
      return 'unknown'
  }
}
