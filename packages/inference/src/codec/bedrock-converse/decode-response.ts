import type { StreamEvent } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import type { Redact } from '../../failure/provider-text.ts'
import { objectOfMember, parseWireObject, textOfMember } from '../../wire/json-members.ts'
import { ConverseBlocks } from './decode-blocks.ts'
import { throwIfError } from './decode-error.ts'
import { finishEvent } from './finish.ts'
import { readUsage } from './usage.ts'

/**
 * Turns a whole response into the events that its stream would have had.
 *
 * @throws InferenceError `malformed` when it is not a response of this protocol; what it says when it is an error.
 */
export function decodeResponse(body: string, redact: Redact): StreamEvent[] {
  const response = parseWireObject(body, 'the response')
  throwIfError(response, redact)
  const content = objectOfMember(objectOfMember(response.output)?.message)?.content
  if (!Array.isArray(content)) throw new InferenceError('malformed', 'the response has no message with content')
  const blocks = new ConverseBlocks()
  const events: StreamEvent[] = []
  for (const [index, entry] of content.entries()) blocks.add(index, objectOfMember(entry) ?? {}, events)
  const finish = finishEvent({
    rawReason: textOfMember(response.stopReason),
    hasToolCalls: blocks.hasToolCalls,
    usage: readUsage(response.usage),
  })
  events.push(finish)
  return events
}
