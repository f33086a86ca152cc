import type { JsonObject } from '@looprig/core'
import type { InferenceError } from '../../failure/errors.ts'
import type { Redact } from '../../failure/provider-text.ts'
import { objectOfMember } from '../../wire/json-members.ts'
import { decodeErrorResponse, throwIfError } from '../openai-chat/decode-error.ts'
import type { FailedResponse } from '../wire-codec.ts'

/** Makes the error of a response with a status that is not a success: the forms are those of Chat Completions. */
export function decodeResponsesError(text: string, response: FailedResponse, redact: Redact): InferenceError {
  return decodeErrorResponse(text, response, redact)
}

/**
 * Throws the error of a response that failed.
 *
 * @throws InferenceError by the code inside it; `server_error` when it says nothing.
 */
export function throwFailure(response: JsonObject | undefined, redact: Redact): void {
  throwIfError({ error: objectOfMember(response?.error) ?? { message: 'the response failed' } }, redact)
}

/**
 * Throws the error of an event of type `error`, which holds it, or is it.
 *
 * @throws InferenceError by the code or type inside it.
 */
export function throwErrorEvent(event: JsonObject, redact: Redact): void {
  const { code = null, message = null, error } = event
  throwIfError(
    { error: objectOfMember(error) ?? { code, message: typeof error === 'string' ? error : message } },
    redact,
  )
}
