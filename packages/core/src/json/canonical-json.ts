import type { JsonValue } from './json-value.ts'

/** Writes JSON with sorted keys and no white space, so that equal data gives equal text. */
export function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_key, part: unknown) => (isPlainObject(part) ? sortedKeys(part) : part))
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sortedKeys(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}
