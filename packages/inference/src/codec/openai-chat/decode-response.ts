import type { StreamEvent } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import type { Redact } from '../../failure/provider-text.ts'
import { objectOfMember, parseWireObject, textOfMember } from '../../wire/json-members.ts'
import { throwIfError } from './decode-error.ts'
import { ChatMessageDecoder } from './decode-message.ts'
import { firstChoice } from './decode-stream.ts'
import { finishEvent } from './finish.ts'
import { readUsage } from './usage.ts'

/**
 * Turns a whole response into the events that its stream would have had.
 *
 * @throws InferenceError `malformed` when it is not a response of this protocol; what its error object says.
 */
export function decodeChatResponse(body: string, redact: Redact): StreamEvent[] {
  const response = parseWireObject(body, 'the response')
  throwIfError(response, redact)
  const choice = firstChoice(response.choices)
  const message = objectOfMember(choice?.message)
  if (choice === undefined || message === undefined) {
    throw new InferenceError('malformed', 'the response has no choice with a message')
  }
  const decoder = new ChatMessageDecoder()
  const events: StreamEvent[] = []
  decoder.add(message, true, events)
  decoder.end(events)
  const finish = finishEvent({
    rawReason: textOfMember(choice.finish_reason),
    hasToolCalls: decoder.hasToolCalls,
    usage: readUsage(response.usage) ?? readUsage(objectOfMember(response.x_groq)?.usage),
    model: textOfMember(response.model),
  })
  events.push(finish)
  return events
}
