import type { JsonObject, JsonValue } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import { type ProviderReport, providerError } from '../../failure/provider-error.ts'
import type { Redact } from '../../failure/provider-text.ts'
import { listOfMember, objectOfMember, textOfMember } from '../../wire/json-members.ts'
import type { FailedResponse } from '../wire-codec.ts'

/**
 * Makes the error of a response with a status that is not a success. Its object may stand in a list. How long to wait
 * is told in it, where no header tells.
 */
export function decodeGeminiError(text: string, response: FailedResponse, redact: Redact): InferenceError {
  const error = errorOf(parse(text))
  const what = `status ${response.status}`
  if (error === undefined) return providerError(what, { message: text }, redact, response)
  const retryAfterMs = response.retryAfterMs ?? retryDelayMs(error)
  const made = providerError(what, reportOf(error), redact, { ...response, retryAfterMs })
  if (!hasReason(error, 'API_KEY_INVALID')) return made
  return new InferenceError('auth', made.message, { status: made.status, provider: made.provider })
}

/**
 * Throws the error that a response of status 200, or a chunk of its stream, holds; does nothing when it holds none.
 *
 * @throws InferenceError by the status inside it.
 */
export function throwIfError(chunk: JsonObject, redact: Redact): void {
  const error = errorOf(chunk)
  if (error === undefined) return
  const report = reportOf(error)
  const status = report.code === undefined || typeof report.code === 'string' ? undefined : httpStatus(report.code)
  const retryAfterMs = retryDelayMs(error)
  throw providerError('the provider reports an error', { ...report, status }, redact, { retryAfterMs })
}

function errorOf(value: JsonValue | undefined): JsonObject | undefined {
  const object = Array.isArray(value) ? objectOfMember(value[0]) : objectOfMember(value)
  const { error } = object ?? {}
  return typeof error === 'string' && error !== '' ? { message: error } : objectOfMember(error)
}

function reportOf({ status, code, message }: JsonObject): ProviderReport {
  return {
    type: textOfMember(status),
    code: typeof code === 'number' ? code : textOfMember(code),
    message: textOfMember(message),
  }
}

/** `34.4s`, in the details of the error. */
function retryDelayMs({ details }: JsonObject): number | undefined {
  for (const detail of listOfMember(details)) {
    const delay = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(textOfMember(objectOfMember(detail)?.retryDelay) ?? '')
    if (delay !== null) return Math.ceil(Number(delay[1]) * 1000)
  }
  return undefined
}

function hasReason({ details }: JsonObject, reason: string): boolean {
  return listOfMember(details).some((detail) => objectOfMember(detail)?.reason === reason)
}

function httpStatus(code: number): number | undefined {
  return Number.isInteger(code) && code >= 300 && code < 600 ? code : undefined
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
