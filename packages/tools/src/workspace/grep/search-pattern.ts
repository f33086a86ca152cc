import { RE2JS } from 're2js'
import { printable } from '../../files/printable.ts'
import { workspaceError } from '../codes.ts'
import { readPattern } from './read-pattern.ts'
import { type RequiredLiteral, requiredLiteral } from './required-literal.ts'

/** The largest compiled pattern, in RE2 instructions; repeats count as often as they repeat. */
const maxProgramSize = 1_200

/** A pattern that both engines read alike. */
export interface SearchPattern {
  /** For re2js. */
  readonly re2: string
  /** For ripgrep. */
  readonly rust: string
  readonly literal: RequiredLiteral | undefined
}

/** Compiles a pattern for both engines. @throws ToolError `invalid_pattern` when either could not take it. */
export function compileSearchPattern(source: string, ignoreCase: boolean): SearchPattern {
  const tokens = readPattern(source)
  const prefix = ignoreCase ? '(?i)' : ''
  const pattern = {
    re2: prefix + source,
    rust: prefix + tokens.map(({ rust }) => rust).join(''),
    literal: requiredLiteral(tokens, ignoreCase),
  }
  let size: number
  try {
    size = RE2JS.compile(pattern.re2).programSize()
  } catch (error) {
    const reason = error instanceof Error ? printable(error.message).slice(0, 200).toWellFormed() : 'it cannot be read'
    throw workspaceError('invalid_pattern', `invalid pattern: ${reason}`, error)
  }
  if (size > maxProgramSize) throw workspaceError('invalid_pattern', 'invalid pattern: it repeats too much')
  return pattern
}
