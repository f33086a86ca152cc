import type { StreamEvent } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import type { Redact } from '../../failure/provider-text.ts'
import { objectOfMember, parseWireObject, textOfMember } from '../../wire/json-members.ts'
import { throwIfError } from './decode-error.ts'
import { ChatMessageDecoder } from './decode-message.ts'
import { firstChoice } from './decode-stream.ts'
import { finishEvent } from './finish.ts'
import { CallIds } from './mint-id.ts'
import { usageOf } from './usage.ts'

/**
 * Turns a whole response into the events that its stream would have had.
 *
 * @throws InferenceError `malformed` when it is not a response of this protocol; what its error object says.
 */
export function decodeChatResponse(body: string, redact: Redact): StreamEvent[] {
  const response = parseWireObject(body, 'the response')
  throwIfError(response, redact)
  const choice = firstChoice(response.choices)
  if (choice !== undefined) throwIfError(choice, redact)
  const message = objectOfMember(choice?.message)
  if (choice === undefined || message === undefined) {
    throw new InferenceError('malformed', 'the response has no choice with a message')
  }
  const ids = new CallIds()
  ids.learn(textOfMember(response.id))
  const decoder = new ChatMessageDecoder(ids)
  const events: StreamEvent[] = []
  decoder.add(message, true, events)
  decoder.end(events)
  const finish = finishEvent({
    rawReason: typeof choice.finish_reason === 'string' ? choice.finish_reason : undefined,
    hasToolCalls: decoder.hasToolCalls,
    usage: usageOf(response, choice),
    model: textOfMember(response.model),
  })
  events.push(finish)
  return events
}
