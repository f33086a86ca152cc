/** One part of a segment: a character, `?`, `*` or a set. */
type Part =
  | { readonly kind: 'character'; readonly character: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | { readonly kind: 'set'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] }

/** A glob for one name between two slashes. */
export interface SegmentPattern {
  readonly parts: readonly Part[]
  /** What each matching name starts and ends with. */
  readonly head: string
  readonly tail: string
  /** There is one star between the two and nothing else, so that they decide. */
  readonly isSimple: boolean
}

/** Compiles one segment; undefined when a `[` is not closed or a range runs backwards. */
export function compileSegment(source: string): SegmentPattern | undefined {
  const characters = [...source]
  const parts: Part[] = []
  for (let at = 0; at < characters.length; ) {
    const character = characters[at] ?? ''
    if (character === '[') {
      const set = readSet(characters, at + 1)
      if (set === undefined) return undefined
      parts.push(set.part)
      at = set.next
    } else if (character === '\\' && at + 1 < characters.length) {
      parts.push({ kind: 'character', character: characters[at + 1] ?? '' })
      at += 2
    } else {
      if (character !== '*' || parts.at(-1)?.kind !== 'star') parts.push(plainPart(character))
      at += 1
    }
  }
  return describe(parts)
}

function describe(parts: readonly Part[]): SegmentPattern {
  const firstWild = parts.findIndex(({ kind }) => kind !== 'character')
  if (firstWild === -1) return { parts, head: literal(parts), tail: '', isSimple: false }
  const lastWild = parts.findLastIndex(({ kind }) => kind !== 'character')
  return {
    parts,
    head: literal(parts.slice(0, firstWild)),
    tail: literal(parts.slice(lastWild + 1)),
    isSimple: firstWild === lastWild && parts[firstWild]?.kind === 'star',
  }
}

function literal(parts: readonly Part[]): string {
  return parts.map((part) => (part.kind === 'character' ? part.character : '')).join('')
}

/** The only name that a segment matches, or undefined when it has a wildcard. */
export function literalName(pattern: SegmentPattern): string | undefined {
  return pattern.parts.every(({ kind }) => kind === 'character') ? pattern.head : undefined
}

/** Matches a whole name, in time proportional to name times pattern whatever the pattern. */
export function matchSegment({ parts: pattern, head, tail, isSimple }: SegmentPattern, name: string): boolean {
  if (name.length < head.length + tail.length || !name.startsWith(head) || !name.endsWith(tail)) return false
  if (isSimple) return true
  const characters = [...name]
  let part = 0
  let at = 0
  let star = -1
  let starAt = 0
  while (at < characters.length) {
    const current = pattern[part]
    if (current?.kind === 'star') {
      star = part
      starAt = at
      part += 1
    } else if (current !== undefined && matchesOne(current, characters[at] ?? '')) {
      part += 1
      at += 1
    } else if (star !== -1) {
      // let the last star take one more character; earlier stars never need to
      starAt += 1
      at = starAt
      part = star + 1
    } else {
      return false
    }
  }
  return pattern.slice(part).every(({ kind }) => kind === 'star')
}

function plainPart(character: string): Part {
  if (character === '*') return { kind: 'star' }
  if (character === '?') return { kind: 'any' }
  return { kind: 'character', character }
}

function matchesOne(part: Part, character: string): boolean {
  if (part.kind === 'any') return true
  if (part.kind === 'character') return part.character === character
  if (part.kind === 'star') return false
  return part.ranges.some(([low, high]) => low <= character && character <= high) !== part.negated
}

function readSet(characters: readonly string[], start: number): { part: Part; next: number } | undefined {
  const negated = characters[start] === '!' || characters[start] === '^'
  const first = negated ? start + 1 : start
  const ranges: [string, string][] = []
  for (let at = first; at < characters.length; ) {
    if (characters[at] === ']' && at > first) return { part: { kind: 'set', negated, ranges }, next: at + 1 }
    const low = readMember(characters, at)
    at = low.next
    if (characters[at] === '-' && characters[at + 1] !== ']' && at + 1 < characters.length) {
      const high = readMember(characters, at + 1)
      if (high.character < low.character) return undefined
      ranges.push([low.character, high.character])
      at = high.next
    } else {
      ranges.push([low.character, low.character])
    }
  }
  return undefined
}

function readMember(characters: readonly string[], at: number): { character: string; next: number } {
  const isEscape = characters[at] === '\\' && at + 1 < characters.length
  return isEscape
    ? { character: characters[at + 1] ?? '', next: at + 2 }
    : { character: characters[at] ?? '', next: at + 1 }
}
