import type { StreamEvent } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import type { Redact } from '../../failure/provider-text.ts'
import { parseWireObject, textOfMember } from '../../wire/json-members.ts'
import { throwIfError } from '../openai-chat/decode-error.ts'
import type { ResponseFacts } from '../wire-codec.ts'
import { throwFailure } from './decode-error.ts'
import { OutputDecoder } from './decode-output.ts'
import { endOf, factsOf, finishEvent } from './finish.ts'

/**
 * Turns a whole response into the events that its stream would have had. One that is not over yet, such as a `queued`
 * one, has no `finish` among them, so that it never counts as a step.
 *
 * @throws InferenceError `malformed` when it is not a response of this protocol; what its error object says.
 */
export function decodeResponse(text: string, redact: Redact): StreamEvent[] {
  const response = parseWireObject(text, 'the response')
  if (response.status === 'failed') throwFailure(response, redact)
  throwIfError(response, redact)
  if (!Array.isArray(response.output)) throw new InferenceError('malformed', 'the response has no output')
  const output = new OutputDecoder()
  const events: StreamEvent[] = []
  output.endAll(response.output, events)
  const end = endOf(response, output.hasCalls)
  if (end !== undefined) events.push(finishEvent(end, factsOf(response)))
  return events
}

/** What a response says besides its output, also one that is not over: its raw reason is its status then. */
export function factsOfResponse(text: string): ResponseFacts {
  const response = parseWireObject(text, 'the response')
  return { ...factsOf(response), rawReason: textOfMember(response.status) }
}
