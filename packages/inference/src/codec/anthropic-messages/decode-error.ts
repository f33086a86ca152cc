import type { JsonObject } from '@looprig/core'
import type { InferenceError } from '../../failure/errors.ts'
import { type ProviderReport, providerError } from '../../failure/provider-error.ts'
import type { Redact } from '../../failure/provider-text.ts'
import { objectOfMember, textOfMember } from '../../wire/json-members.ts'
import type { FailedResponse } from '../wire-codec.ts'

/** Makes the error of a response with a status that is not a success. `body` is any text, perhaps cut, perhaps HTML. */
export function decodeErrorResponse(body: string, response: FailedResponse, redact: Redact): InferenceError {
  return providerError(`status ${response.status}`, readReport(parse(body) ?? body), redact, response)
}

/**
 * Throws the error that a response of status 200, or a frame of its stream, holds; does nothing when it holds none.
 *
 * @throws InferenceError by the type inside it.
 */
export function throwIfError(object: JsonObject, redact: Redact): void {
  if (object.type !== 'error' && objectOfMember(object.error) === undefined) return
  throw providerError('the provider reports an error', readReport(object), redact)
}

/** The forms: `{error: {type, message}}`, and what gateways send: `{error: text}`, `{message}`, `{detail}`, any text. */
function readReport(body: JsonObject | string): ProviderReport {
  if (typeof body === 'string') return { message: body }
  const inner = objectOfMember(body.error) ?? body
  return {
    type: textOfMember(inner.type),
    message: textOfMember(inner.message) ?? textOfMember(body.error) ?? textOfMember(body.detail),
  }
}

function parse(body: string): JsonObject | undefined {
  try {
    return objectOfMember(JSON.parse(body))
  } catch {
    return undefined
  }
}
