import type { ToolError } from '../../contract/errors.ts'
import { workspaceError } from '../codes.ts'
import type { TokenRead } from './pattern-token.ts'

/** The sets of RE2, which know ASCII only, in ripgrep's syntax. Line ends are left out: no line holds one. */
export const classEscapes: Readonly<Record<string, string>> = {
  d: '[0-9]',
  D: '[^0-9]',
  w: '[0-9A-Za-z_]',
  W: '[^0-9A-Za-z_]',
  s: '[\\x{9}\\x{C}\\x{20}]',
  S: '[^\\x{9}\\x{C}\\x{20}]',
}

const controls: Readonly<Record<string, string>> = { a: '\x07', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
const property = /\\([pP])(?:\{(\^?)(\w+)\}|([A-Z]))/y
/** Properties that re2js knows and ripgrep does not: surrogates, and scripts newer than its tables. */
const unsharedProperties = new Set(['Cs', 'Unknown', 'Zzzz', 'Beria_Erfe', 'Sidetic', 'Tai_Yo', 'Tolong_Siki'])
const hexadecimal = /\\x(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))/y

/**
 * Reads `\pL`, `\p{Greek}`, `\p{^Greek}` and their negations; undefined when there is none.
 *
 * @throws ToolError `invalid_pattern`
 */
export function readProperty(source: string, at: number): TokenRead<string> | undefined {
  property.lastIndex = at
  const match = property.exec(source)
  if (match === null) return undefined
  const [whole, letter, caret, long, short] = match
  const name = long ?? short ?? ''
  if (unsharedProperties.has(name)) throw refusedEscape(`${letter}{${name}}`)
  const isNegated = (letter === 'P') !== (caret === '^')
  return { token: `\\${isNegated ? 'P' : 'p'}{${name}}`, next: at + whole.length }
}

/** Reads an escape that stands for one character. @throws ToolError `invalid_pattern` */
export function escapedCharacter(source: string, at: number): TokenRead<string> {
  hexadecimal.lastIndex = at
  const hex = hexadecimal.exec(source)
  if (hex !== null) {
    const point = Number.parseInt(hex[1] ?? hex[2] ?? '', 16)
    const isScalar = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
    if (isScalar) return { token: String.fromCodePoint(point), next: at + hex[0].length }
  }
  const letter = source[at + 1] ?? ''
  const control = controls[letter]
  if (control !== undefined) return { token: control, next: at + 2 }
  if (/^[!-~ ]$/.test(letter) && !/\w/.test(letter)) return { token: letter, next: at + 2 }
  if (letter === '_') return { token: letter, next: at + 2 }
  throw refusedEscape(/\w/.test(letter) ? letter : '')
}

/** A character that means only itself to ripgrep, in and outside of a set. */
export function rustCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0
  return point >= 0x80 || /\w/.test(character) ? character : `\\x{${point.toString(16).toUpperCase()}}`
}

/** Says whether a character ends a line. */
export function isLineEnd(character: string): boolean {
  return character === '\n' || character === '\r'
}

function refusedEscape(name: string): ToolError {
  return workspaceError('invalid_pattern', `invalid pattern: the escape \\${name} is not supported`)
}
