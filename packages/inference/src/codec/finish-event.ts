import type { FinishReason, StreamEvent, Usage } from '@looprig/core'

/** What the end of a response says of it. */
export interface ResponseEnd {
  /** The provider's word; absent when it gave none. */
  readonly rawReason: string | undefined
  /** What that word means. */
  readonly reason: FinishReason
  readonly hasToolCalls: boolean
  readonly usage: Usage | undefined
  readonly model?: string | undefined
}

/**
 * Makes the `finish` event. Servers that say that the turn ended, or nothing, after tool calls mean `tool_use`; no word
 * after plain text stays `unknown`, never a clean `stop`.
 */
export function finishEventOf({ rawReason, reason, hasToolCalls, usage, model }: ResponseEnd): StreamEvent {
  const isPlain = reason === 'stop' || !rawReason
  return {
    type: 'finish',
    reason: isPlain && hasToolCalls ? 'tool_use' : reason,
    ...(rawReason === undefined ? {} : { rawReason }),
    ...(usage === undefined ? {} : { usage }),
    ...(model === undefined ? {} : { model }),
  }
}
