import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts'

/** Writes JSON with sorted keys and no white space, so that equal data gives equal text. */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return isJsonObject(value) ? canonicalObject(value) : `[${value.map(canonicalJson).join(',')}]`
}

/** What is `undefined` is left out, as `JSON.stringify` does. */
function canonicalObject(object: JsonObject): string {
  let members = ''
  for (const key of Object.keys(object).sort()) {
    const part: JsonValue | undefined = object[key]
    if (part === undefined) continue
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(part)}`
  }
  return `{${members}}`
}
