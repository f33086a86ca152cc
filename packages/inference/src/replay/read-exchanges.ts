import { isJsonObject, isJsonValue, type JsonValue } from '@looprig/core'
import { inferenceErrorCodes } from '../failure/errors.ts'
import { optionError } from '../failure/option-error.ts'
import { exchangeFormat, type RecordedExchange } from './exchange.ts'

/**
 * Reads exchanges that were kept as lines of JSON; empty lines do not count.
 *
 * @throws InferenceError `invalid_options`, naming the line that is no exchange.
 */
export function readExchanges(text: string): RecordedExchange[] {
  const read: RecordedExchange[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    read.push(checkExchange(parse(line), `line ${index + 1}`))
  }
  return read
}

/** Checks a recording that comes from a file, whatever its type says. */
export function checkExchanges(recording: readonly RecordedExchange[]): readonly RecordedExchange[] {
  return recording.map((exchange, index) => checkExchange(exchange, `recording[${index}]`))
}

/** The form of events is left to whoever folds them, as it is with the events of any client. */
function checkExchange(value: unknown, where: string): RecordedExchange {
  if (!isJsonValue(value) || !isJsonObject(value)) throw optionError(where, 'expected an object of JSON data')
  const { format, request, events, failure } = value
  if (format !== exchangeFormat) throw optionError(`${where}.format`, `expected ${exchangeFormat}`)
  if (typeof request !== 'string' || !/^[\da-f]{64}$/.test(request)) {
    throw optionError(`${where}.request`, 'expected a SHA-256 in hex')
  }
  if (!Array.isArray(events) || !events.every(isEvent)) throw optionError(`${where}.events`, 'expected stream events')
  if (failure !== undefined && !isFailure(failure)) throw optionError(`${where}.failure`, 'expected a recorded failure')
  return value as unknown as RecordedExchange // proved: the checks above
}

function isEvent(value: JsonValue): boolean {
  return isJsonObject(value) && typeof value.type === 'string'
}

function isFailure(value: JsonValue): boolean {
  if (!isJsonObject(value) || typeof value.retryable !== 'boolean') return false
  const { code, status, retryAfterMs } = value
  return inferenceErrorCodes.some((known) => known === code) && isCount(status) && isCount(retryAfterMs)
}

function isCount(value: JsonValue | undefined): boolean {
  return value === undefined || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
