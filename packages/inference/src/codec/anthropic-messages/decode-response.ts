import type { StreamEvent } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import type { Redact } from '../../failure/provider-text.ts'
import { objectOfMember, parseWireObject, textOfMember } from '../../wire/json-members.ts'
import { ContentBlocks } from './decode-blocks.ts'
import { throwIfError } from './decode-error.ts'
import { finishEvent } from './finish.ts'
import { readUsage } from './usage.ts'

/**
 * Turns a whole response into the events that its stream would have had.
 *
 * @throws InferenceError `malformed` when it is not a message of this protocol; what its error object says.
 */
export function decodeMessage(body: string, redact: Redact): StreamEvent[] {
  const message = parseWireObject(body, 'the response')
  throwIfError(message, redact)
  const { content } = message
  if (!Array.isArray(content)) throw new InferenceError('malformed', 'the response has no content')
  const blocks = new ContentBlocks()
  const events: StreamEvent[] = []
  for (const [index, entry] of content.entries()) {
    blocks.start(index, objectOfMember(entry) ?? {}, events)
    blocks.stop(index, events)
  }
  const finish = finishEvent({
    rawReason: textOfMember(message.stop_reason),
    hasToolCalls: blocks.hasToolCalls,
    usage: readUsage(message.usage),
    model: textOfMember(message.model),
  })
  events.push(finish)
  return events
}
