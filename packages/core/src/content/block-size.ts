import { maxBlockCharacters } from './limits.ts'

/** What one character of a text takes in JSON at most: `\u0000`. */
const widestCharacter = 6

/** Says whether a block is JSON of at most `maxBlockCharacters`. It is written out only where its parts come near that. */
export function isWithinBlockCap(block: unknown): boolean {
  if (charactersOf(block, 0) * widestCharacter <= maxBlockCharacters) return true
  try {
    return JSON.stringify(block).length <= maxBlockCharacters
  } catch {
    return false // something that is not JSON, or is nested without end
  }
}

/** Never less than a sixth of the JSON. What is nested deeply counts as too much, so that it is written out. */
function charactersOf(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 5
  if (depth > 64) return maxBlockCharacters
  let sum = 2
  const members = value as { readonly [key: string]: unknown } // proved: any object
  for (const key in members) sum += key.length + 2 + charactersOf(members[key], depth + 1)
  return sum
}
