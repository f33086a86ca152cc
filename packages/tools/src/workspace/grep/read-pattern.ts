import type { ToolError } from '../../contract/errors.ts'
import { workspaceError } from '../codes.ts'
import { readClass } from './pattern-class.ts'
import { classEscapes, escapedCharacter, isLineEnd, readProperty, rustCharacter } from './pattern-escapes.ts'
import type { PatternToken, TokenRead } from './pattern-token.ts'

const quantifier = /(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/y
const group = /\(\?(?:P?<\w+>|[imsU]*(?:-[isU]+)?([:)]))/y

/**
 * Reads a pattern in the syntax that RE2 and ripgrep share, and writes each piece as ripgrep must be told to read it as
 * RE2 does: `\w`, `\d`, `\s` and `\b` know ASCII only, and what RE2 takes for a literal is escaped.
 *
 * @throws ToolError `invalid_pattern` for what only one of the two knows, or what they do not agree on: look-around,
 *   back-references, octal numbers, `\Q`, `\C`, `\A`, `\z`, `\B`, flags other than i, m, s and U, and line ends, since a
 *   search is line by line.
 */
export function readPattern(source: string): PatternToken[] {
  const tokens: PatternToken[] = []
  for (let at = 0; at < source.length; ) {
    const { token, next } = readToken(source, at)
    if (token.kind === 'quantifier' && tokens.at(-1)?.kind === 'flags')
      throw refusedPattern('a repeat needs something to repeat')
    tokens.push(token)
    at = next
  }
  return tokens
}

function readToken(source: string, at: number): TokenRead {
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0)
  const repeat = matchAt(quantifier, source, at)
  if (repeat !== undefined) {
    const isOptional = /^[*?]/.test(repeat[0]) || Number(repeat[1] ?? 1) === 0
    return { token: { kind: 'quantifier', isOptional, rust: repeat[0] }, next: at + repeat[0].length }
  }
  if (character === '\\') return readEscape(source, at)
  if (character === '[') return readClass(source, at)
  if (character === '(') return readGroup(source, at)
  const next = at + character.length
  if (character === ')') return { token: { kind: 'close', rust: ')' }, next }
  if (character === '|') return { token: { kind: 'bar', rust: '|' }, next }
  if ('^$.'.includes(character)) return { token: { kind: 'other', rust: character }, next }
  return { token: literal(character), next }
}

function readGroup(source: string, at: number): TokenRead {
  if (source[at + 1] !== '?') return { token: { kind: 'open', rust: '(' }, next: at + 1 }
  const match = matchAt(group, source, at)
  if (match === undefined || match[0] === '(?)') throw refusedPattern('this kind of group is not supported')
  const next = at + match[0].length
  if (match[1] === ')') return { token: { kind: 'flags', rust: match[0] }, next }
  // a name is of no use here, and the two differ in which they allow
  return { token: { kind: 'open', rust: match[1] === ':' ? match[0] : '(' }, next }
}

function readEscape(source: string, at: number): TokenRead {
  const letter = source[at + 1] ?? ''
  const byClass = classEscapes[letter]
  if (byClass !== undefined) return { token: { kind: 'other', rust: byClass }, next: at + 2 }
  if (letter === 'b') return { token: { kind: 'other', rust: '(?-u:\\b)' }, next: at + 2 }
  const property = readProperty(source, at)
  if (property !== undefined) return { token: { kind: 'other', rust: property.token }, next: property.next }
  const { token, next } = escapedCharacter(source, at)
  return { token: literal(token), next }
}

function literal(character: string): PatternToken {
  if (isLineEnd(character)) throw refusedPattern('a search is line by line, so it cannot hold a line end')
  return { kind: 'literal', character, rust: rustCharacter(character) }
}

function matchAt(expression: RegExp, source: string, at: number): RegExpExecArray | undefined {
  expression.lastIndex = at
  return expression.exec(source) ?? undefined
}

function refusedPattern(reason: string): ToolError {
  return workspaceError('invalid_pattern', `invalid pattern: ${reason}`)
}
