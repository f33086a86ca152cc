import type { FinishReason, StreamEvent } from '@looprig/core'
import { turnReasons } from '../anthropic-messages/finish.ts'
import { finishEventOf, type ResponseEnd } from '../finish-event.ts'

/** Makes the `finish` event. */
export function finishEvent(end: Omit<ResponseEnd, 'reason'>): StreamEvent {
  return finishEventOf({ ...end, reason: reasons.get(end.rawReason ?? '') ?? 'unknown' })
}

const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ...turnReasons,
  ['content_filtered', 'content_filter'],
  ['guardrail_intervened', 'content_filter'],
])
