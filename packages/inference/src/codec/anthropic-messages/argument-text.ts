import { isJsonValue, type JsonValue } from '@looprig/core'

/** The arguments of a call that came whole, as text; none for an empty object, as in a stream. */
export function argumentText(input: JsonValue | undefined): string {
  if (input === undefined || input === null || input === '') return ''
  if (!isJsonValue(input)) return '"arguments nested too deep"'
  const text = JSON.stringify(input)
  return text === '{}' ? '' : text
}
