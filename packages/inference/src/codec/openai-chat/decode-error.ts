import type { JsonObject, JsonValue } from '@looprig/core'
import { classifyFailure } from '../../failure/classify.ts'
import { InferenceError } from '../../failure/errors.ts'
import type { Redact } from '../../failure/provider-text.ts'
import { objectOfMember, textOfMember } from '../../wire/json-members.ts'

/** What the HTTP layer knows of a failed response. */
export interface FailedResponse {
  readonly status: number
  readonly retryAfterMs?: number | undefined
  /** What the server itself says about sending it again. */
  readonly retryable?: boolean | undefined
}

/** Makes the error of a response with a status that is not a success. `body` is any text, perhaps cut, perhaps HTML. */
export function decodeErrorResponse(body: string, response: FailedResponse, redact: Redact): InferenceError {
  const { words, message } = readError(parse(body) ?? body)
  const code = classifyFailure({ status: response.status, words, message })
  return new InferenceError(code, sentence(`status ${response.status}`, words, message, redact), response)
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
  const { words, message, status } = readError(object)
  const code = classifyFailure({ status, words, message })
  throw new InferenceError(code, sentence('the provider reports an error', words, message, redact), { status })
}

interface ReadError {
  readonly words: readonly string[]
  readonly message: string
  readonly status?: number | undefined
}

/** The forms: `{error: {message, type, code}}`, `{error: text}`, `{message, ...}`, `{detail: text}`, any text. */
function readError(body: JsonObject | string): ReadError {
  if (typeof body === 'string') return { words: [], message: body }
  const inner = objectOfMember(body.error) ?? body
  const words = [inner.code, inner.type].filter((word) => typeof word === 'string')
  const message = textOfMember(inner.message) ?? textOfMember(body.error) ?? textOfMember(body.detail) ?? ''
  return { words, message, status: httpStatus(inner.code) ?? httpStatus(inner.status_code) ?? httpStatus(inner.status) }
}

function parse(body: string): JsonObject | undefined {
  try {
    return objectOfMember(JSON.parse(body))
  } catch {
    return undefined
  }
}

function httpStatus(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 300 && value < 600 ? value : undefined
}

function sentence(what: string, words: readonly string[], message: string, redact: Redact): string {
  const said = redact([words.join(', '), message].filter((part) => part !== '').join(': '))
  return said === '' ? what : `${what}: ${said}`
}
