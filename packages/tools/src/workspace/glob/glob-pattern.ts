import { workspaceError } from '../codes.ts'
import { expandBraces } from './expand-braces.ts'
import { compileSegment, literalName, matchSegment, type SegmentPattern } from './segment-pattern.ts'

/** Any number of folders. */
const anyDepth = '**'

/** One way to match: a folder without wildcards, and what the path below it must look like. */
export interface GlobAlternative {
  /** Relative to the search root, with forward slashes; empty for the root itself. */
  readonly base: string
  /** How many levels below `base` a match may lie. */
  readonly depth: number
  /** Matches a file in a folder, given by the names of the folders from `base` down to it. */
  matches(folders: readonly string[], name: string): boolean
}

/**
 * Compiles a glob: `*`, `?`, `[a-z]`, `[!a-z]`, `{a,b}`, and `**` for any number of folders. A backslash makes the next
 * character literal. Matching takes time proportional to path times pattern, whatever the pattern.
 *
 * @throws ToolError `invalid_pattern`
 */
export function compileGlob(pattern: string): readonly GlobAlternative[] {
  if (pattern.startsWith('/')) throw refused('it must be relative to root')
  const alternatives = expandBraces(pattern)
  if (alternatives === undefined) throw refused('the braces stand for too many patterns')
  return alternatives.map(compileAlternative)
}

function compileAlternative(pattern: string): GlobAlternative {
  const names = pattern.split('/').filter((name) => name !== '' && name !== '.')
  if (names.length === 0) throw refused('it names no file')
  const segments = names.map(compileName)
  const literals = segments.map((segment) => (segment === anyDepth ? undefined : literalName(segment)))
  // an escape could hide a climb, so the names are checked as they will be used
  if (literals.includes('..') || literals.includes('.')) throw refused('it must not climb out of root')
  const firstWild = literals.indexOf(undefined)
  const baseLength = firstWild === -1 ? literals.length - 1 : firstWild
  const rest = segments.slice(baseLength)
  return {
    base: literals.slice(0, baseLength).join('/'),
    depth: rest.includes(anyDepth) ? Number.POSITIVE_INFINITY : rest.length,
    matches: (folders, name) => mayEndIn(rest, name) && matchPath(rest, [...folders, name]),
  }
}

function compileName(name: string): SegmentPattern | typeof anyDepth {
  if (name === anyDepth) return anyDepth
  const segment = compileSegment(name)
  if (segment === undefined) throw refused('a [ is not closed, or a range in it runs backwards')
  return segment
}

/** Most files are ruled out by their own name. */
function mayEndIn(pattern: readonly (SegmentPattern | typeof anyDepth)[], name: string): boolean {
  const last = pattern.at(-1)
  return last === anyDepth || last === undefined || matchSegment(last, name)
}

function matchPath(pattern: readonly (SegmentPattern | typeof anyDepth)[], names: readonly string[]): boolean {
  let segment = 0
  let at = 0
  let wild = -1
  let wildAt = 0
  while (at < names.length) {
    const current = pattern[segment]
    if (current === anyDepth) {
      wild = segment
      wildAt = at
      segment += 1
    } else if (current !== undefined && matchSegment(current, names[at] ?? '')) {
      segment += 1
      at += 1
    } else if (wild !== -1) {
      wildAt += 1
      at = wildAt
      segment = wild + 1
    } else {
      return false
    }
  }
  return pattern.slice(segment).every((part) => part === anyDepth)
}

function refused(reason: string): Error {
  return workspaceError('invalid_pattern', `invalid pattern: ${reason}`)
}
