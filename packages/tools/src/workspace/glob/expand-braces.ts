/** The most patterns that one pattern may stand for. */
const maxAlternatives = 64

/** Expands `{a,b}`, also nested. Undefined when that would be more than 64 patterns. A lone `{a}` is literal. */
export function expandBraces(pattern: string): string[] | undefined {
  const done: string[] = []
  const open = [pattern]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = firstGroup(next)
    if (group === undefined) done.push(next)
    else open.push(...group.parts.map((part) => `${group.before}${part}${group.after}`))
    if (done.length + open.length > maxAlternatives) return undefined
  }
  return done.reverse()
}

interface BraceGroup {
  readonly before: string
  readonly parts: readonly string[]
  readonly after: string
}

/** The first brace group that has a comma at its own level and an end. */
function firstGroup(pattern: string): BraceGroup | undefined {
  for (let start = 0; start < pattern.length; start += 1) {
    if (pattern[start] === '\\') start += 1
    else if (pattern[start] === '{') {
      const group = readGroup(pattern, start)
      if (group !== undefined && group.parts.length > 1) return group
    }
  }
  return undefined
}

function readGroup(pattern: string, start: number): BraceGroup | undefined {
  const parts: string[] = []
  let depth = 0
  let from = start + 1
  for (let at = start; at < pattern.length; at += 1) {
    const character = pattern[at]
    if (character === '\\') at += 1
    else if (character === '{') depth += 1
    else if (character === ',' && depth === 1) {
      parts.push(pattern.slice(from, at))
      from = at + 1
    } else if (character === '}') {
      depth -= 1
      if (depth === 0) {
        parts.push(pattern.slice(from, at))
        return { before: pattern.slice(0, start), parts, after: pattern.slice(at + 1) }
      }
    }
  }
  return undefined
}
