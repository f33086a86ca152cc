import type { FinishReason, JsonObject, StreamEvent } from '@looprig/core'
import { objectOfMember, textOfMember } from '../../wire/json-members.ts'
import { finishEventOf } from '../finish-event.ts'
import type { ResponseFacts } from '../wire-codec.ts'
import { readUsage } from './usage.ts'

/**
 * What a response object says of its end; `undefined` while it is not over: `queued`, `in_progress`, or no word at all.
 * A response that was cut off ends for the reason that cut it, whatever it had asked for: its last call may be half.
 */
export function endOf(
  response: JsonObject,
  hasCalls: boolean,
): { reason: FinishReason; rawReason: string } | undefined {
  switch (response.status) {
    case 'completed':
      return { reason: hasCalls ? 'tool_use' : 'stop', rawReason: 'completed' }
    case 'incomplete': {
      const why = textOfMember(objectOfMember(response.incomplete_details)?.reason)
      return { reason: cutReason(why), rawReason: why ?? 'incomplete' }
    }
    default:
      return undefined
  }
}

/** What a response object says besides its output. */
export function factsOf(response: JsonObject): ResponseFacts {
  const usage = readUsage(response.usage)
  const model = textOfMember(response.model)
  return { ...(model === undefined ? {} : { model }), ...(usage === undefined ? {} : { usage }) }
}

/** Makes the last event. */
export function finishEvent(
  { reason, rawReason }: { reason: FinishReason; rawReason: string },
  { model, usage }: ResponseFacts,
): StreamEvent {
  return finishEventOf({ reason, rawReason, hasToolCalls: reason === 'tool_use', usage, model })
}

function cutReason(why: string | undefined): FinishReason {
  switch (why) {
    case 'max_output_tokens':
    case 'max_tokens':
      return 'length'
    case 'content_filter':
      return 'content_filter'
    default:
      return 'unknown'
  }
}
