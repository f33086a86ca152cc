import { workspaceError } from '../codes.ts'
import { classEscapes, escapedCharacter, isLineEnd, readProperty, rustCharacter } from './pattern-escapes.ts'
import type { PatternToken, TokenRead } from './pattern-token.ts'

const namedClass = /\[:\^?\w+:\]/y

/**
 * Reads a set in brackets. Its members are written so that ripgrep sees none of the set operators that RE2 does not
 * have: `[a&&b]` is a, & and b.
 *
 * @throws ToolError `invalid_pattern`
 */
export function readClass(source: string, start: number): TokenRead<PatternToken> {
  const isNegated = source[start + 1] === '^'
  const first = start + (isNegated ? 2 : 1)
  let rust = ''
  for (let at = first; at < source.length; ) {
    if (source[at] === ']' && at > first) {
      return { token: { kind: 'other', rust: closeClass(rust, isNegated) }, next: at + 1 }
    }
    const member = readGroupMember(source, at) ?? readRange(source, at)
    rust += member.token
    at = member.next
  }
  throw workspaceError('invalid_pattern', 'invalid pattern: a [ is not closed')
}

function closeClass(members: string, isNegated: boolean): string {
  if (members !== '') return `[${isNegated ? '^' : ''}${members}]`
  if (isNegated) return '(?s:.)'
  throw workspaceError('invalid_pattern', 'invalid pattern: a search is line by line, so it cannot hold a line end')
}

/** A member that stands for many characters: `\d`, `\p{L}` or `[:alpha:]`. */
function readGroupMember(source: string, at: number): TokenRead<string> | undefined {
  namedClass.lastIndex = at
  const named = namedClass.exec(source)
  if (named !== null) return { token: named[0], next: at + named[0].length }
  if (source[at] !== '\\') return undefined
  const byClass = classEscapes[source[at + 1] ?? '']
  if (byClass !== undefined) return { token: byClass, next: at + 2 }
  return readProperty(source, at)
}

function readRange(source: string, at: number): TokenRead<string> {
  const low = readCharacter(source, at)
  const isRange = source[low.next] === '-' && low.next + 1 < source.length && source[low.next + 1] !== ']'
  if (!isRange) return { token: isLineEnd(low.token) ? '' : rustCharacter(low.token), next: low.next }
  const high = readCharacter(source, low.next + 1)
  return { token: `${rustCharacter(low.token)}-${rustCharacter(high.token)}`, next: high.next }
}

function readCharacter(source: string, at: number): TokenRead<string> {
  if (source[at] === '\\') return escapedCharacter(source, at)
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0)
  return { token: character, next: at + character.length }
}
