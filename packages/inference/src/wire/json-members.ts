import { isJsonObject, type JsonObject, type JsonValue } from '@looprig/core'
import { InferenceError } from '../failure/errors.ts'

/**
 * Reads an object of the wire.
 *
 * @throws InferenceError `malformed`; the message says what it was, never the text.
 */
export function parseWireObject(text: string, what: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new InferenceError('malformed', `${what} is not JSON`)
  }
  if (!isJsonObject(value)) throw new InferenceError('malformed', `${what} is not a JSON object`)
  return value
}

/** The text of a member that holds one and is not empty. */
export function textOfMember(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The object of a member that holds one. */
export function objectOfMember(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined
}

/** The entries of a member that holds a list; none otherwise. */
export function listOfMember(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : noEntries
}

const noEntries: readonly JsonValue[] = []
