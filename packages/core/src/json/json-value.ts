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

/** The deepest nesting that JSON from outside may have: far more than anyone writes, far less than overflows a stack. */
export const maxJsonDepth = 256

/** Says whether a value holds nothing but JSON, nested at most `maxJsonDepth` deep. Safe for any depth and for cycles. */
export function isJsonValue(value: unknown, maxDepth: number = maxJsonDepth): value is JsonValue {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || maxDepth <= 0 || !isPlain(value)) return false
  for (const key in value) if (!isJsonValue(value[key], maxDepth - 1)) return false
  return true
}

/** Freezes plain data and everything below it, in place. A part that is frozen already is taken as frozen whole. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    // plain data inherits nothing that is enumerable; `Object.values` would double the cost of a small object
    for (const key in value) if (typeof value[key] === 'object') deepFreeze(value[key])
  }
  return value
}

function isPlain(value: object): value is { readonly [key: string]: unknown } {
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}
