import { isJsonValue, type JsonValue } from '@looprig/core'

/** What a text of a model says as JSON, or why it says nothing for certain. */
export type ReadJson = { readonly value: JsonValue } | { readonly fault: 'syntax' | 'repeated_name' }

/** Reads a whole text as JSON. A name that stands twice in an object is a fault: nobody can say which one counts. */
export function readJson(text: string): ReadJson {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { fault: 'syntax' }
  }
  if (!isJsonValue(value)) return { fault: 'syntax' } // it nests too deep
  return repeatsName(text) ? { fault: 'repeated_name' } : { value }
}

/** Takes the one code fence away that surrounds a whole text, as many models write it. Anything else stays. */
export function withoutFence(text: string): string {
  const trimmed = text.trim()
  const inner = /^```(?:json|JSON)?[ \t]*\r?\n(.*)\n[ \t]*```$/s.exec(trimmed)?.[1]
  return inner === undefined || inner.includes('```') ? trimmed : inner
}

/** Of a text that is JSON. */
function repeatsName(text: string): boolean {
  const open: (Set<string> | undefined)[] = []
  for (const [token, name] of text.matchAll(/[{}[\]]|"(?:[^"\\]|\\.)*"(?:\s*(:))?/g)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (name === ':') {
      const names = open.at(-1)
      const read: unknown = JSON.parse(token.slice(0, token.lastIndexOf('"') + 1))
      if (names === undefined || typeof read !== 'string') continue
      if (names.has(read)) return true
      names.add(read)
    }
  }
  return false
}
