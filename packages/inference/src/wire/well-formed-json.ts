/**
 * Writes JSON that every provider can read: half of a surrogate pair, in a text or a key, becomes U+FFFD. One cut
 * emoji in a tool's output would otherwise make each later request of the session fail.
 */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value)
  return json.includes('\\ud') ? JSON.stringify(value, wellFormedPart) : json
}

function wellFormedPart(_key: string, part: unknown): unknown {
  if (typeof part === 'string') return part.toWellFormed()
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key.toWellFormed(), value]))
}
