import type { JsonObject, JsonValue } from '@looprig/core'
import type { InferenceError } from '../../failure/errors.ts'
import { type ProviderReport, providerError } from '../../failure/provider-error.ts'
import type { Redact } from '../../failure/provider-text.ts'
import { listOfMember, objectOfMember, textOfMember } from '../../wire/json-members.ts'
import type { FailedResponse } from '../wire-codec.ts'

/** Makes the error of a response with a status that is not a success. `body` is any text, perhaps cut, perhaps HTML. */
export function decodeErrorResponse(body: string, response: FailedResponse, redact: Redact): InferenceError {
  return providerError(`status ${response.status}`, readReport(parse(body) ?? body), redact, response)
}

/**
 * Throws the error that a response of status 200, or a frame of its stream, holds; does nothing when it holds none.
 *
 * @throws InferenceError by the status, code or type inside it.
 */
export function throwIfError(object: JsonObject, redact: Redact): void {
  const { error } = object
  const whole = object.object === 'error'
  if (!whole && (error === undefined || error === null || error === '' || error === false)) return
  throw providerError('the provider reports an error', readReport(object), redact)
}

/** The forms: `{error: {message, type, code}}`, `{error: text}`, `{message, ...}`, `{detail}`, any text. */
function readReport(body: JsonObject | string): ProviderReport {
  if (typeof body === 'string') return { message: body }
  const inner = objectOfMember(body.error) ?? body
  return {
    type: textOfMember(inner.type),
    code: typeof inner.code === 'number' ? inner.code : textOfMember(inner.code),
    message: saidIn(inner.message) ?? textOfMember(body.error) ?? saidIn(body.detail),
    detail: textOfMember(objectOfMember(inner.metadata)?.raw),
    status: httpStatus(inner.code) ?? httpStatus(inner.status_code) ?? httpStatus(inner.status),
  }
}

/** A text, or the list of what is wrong with a request: `{detail: [{msg, loc}]}`. */
function saidIn(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return textOfMember(value)
  const list = listOfMember(objectOfMember(value)?.detail ?? value)
  const said = list.map((entry) => textOfMember(objectOfMember(entry)?.msg)).filter((text) => text !== undefined)
  return said.length === 0 ? undefined : said.join('; ')
}

/** Some servers put the object into a list. */
function parse(body: string): JsonObject | undefined {
  try {
    const value = JSON.parse(body)
    return objectOfMember(Array.isArray(value) ? value[0] : value)
  } catch {
    return undefined
  }
}

function httpStatus(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 300 && value < 600 ? value : undefined
}
