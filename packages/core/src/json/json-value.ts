/** A value that JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** An object that JSON can hold. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Says whether a value is a plain object: not null, no array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Freezes plain data and everything below it, in place. A part that is frozen already is taken as frozen whole. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) deepFreeze(part)
  return value
}
