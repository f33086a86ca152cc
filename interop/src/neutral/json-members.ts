import { isJsonObject, type JsonObject, type JsonValue } from '@looprig/core'

/** The object, or nothing. */
export function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return value !== undefined && isJsonObject(value) ? value : undefined
}

/** The objects of a list; whatever else is in it is left out. */
export function objectsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((each) => isJsonObject(each)) : []
}

/** The texts of a list. */
export function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

/** The text, or nothing. */
export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The number, or nothing. */
export function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}
