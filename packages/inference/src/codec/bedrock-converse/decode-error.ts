import type { JsonObject } from '@looprig/core'
import type { InferenceError } from '../../failure/errors.ts'
import { providerError } from '../../failure/provider-error.ts'
import type { Redact } from '../../failure/provider-text.ts'
import { objectOfMember, textOfMember } from '../../wire/json-members.ts'
import type { FailedResponse } from '../wire-codec.ts'

/** Makes the error of a response with a status that is not a success. `body` is any text, perhaps cut, perhaps HTML. */
export function decodeErrorResponse(body: string, response: FailedResponse, redact: Redact): InferenceError {
  const object = parse(body)
  const type = exceptionName(response.header?.('x-amzn-errortype') ?? textOfMember(object?.__type))
  const message = object === undefined ? body : messageOf(object)
  return providerError(`status ${response.status}`, { type, message }, redact, response)
}

/**
 * Throws when a response of status 200 is an error: an object that names its kind and has no output.
 *
 * @throws InferenceError by the kind.
 */
export function throwIfError(response: JsonObject, redact: Redact): void {
  const type = exceptionName(textOfMember(response.__type))
  if (type !== undefined) throw exceptionError(type, messageOf(response), redact)
}

/** Makes the error of an exception inside a stream; `type` is its name, in any spelling. */
export function exceptionError(type: string, message: string | undefined, redact: Redact): InferenceError {
  const status = exceptionStatus.get(type.toLowerCase())
  return providerError('the provider reports an error', { type, message, status }, redact)
}

/** The name alone: some come with a namespace before it and an address behind it. */
function exceptionName(name: string | undefined): string | undefined {
  return textOfMember(name?.split(':')[0]?.split('#').at(-1)?.trim())
}

function messageOf(object: JsonObject): string | undefined {
  const inner = objectOfMember(object.error) ?? object
  return textOfMember(inner.message) ?? textOfMember(inner.Message) ?? textOfMember(object.error)
}

/** The status that each would have had as a response of its own. */
const exceptionStatus: ReadonlyMap<string, number> = new Map([
  ['validationexception', 400],
  ['accessdeniedexception', 403],
  ['unrecognizedclientexception', 403],
  ['expiredtokenexception', 403],
  ['resourcenotfoundexception', 404],
  ['modeltimeoutexception', 408],
  ['modelerrorexception', 424],
  ['modelstreamerrorexception', 424],
  ['throttlingexception', 429],
  ['internalserverexception', 500],
  ['serviceunavailableexception', 503],
])

function parse(body: string): JsonObject | undefined {
  try {
    return objectOfMember(JSON.parse(body))
  } catch {
    return undefined
  }
}
