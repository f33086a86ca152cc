import { isComment, isImport, standingOf } from './definition.ts'
import type { Standing } from './definition-forms.ts'
import { comparePaths, comparePlaces, type Place, placesAmong } from './rank.ts'
import type { SourceLine } from './source-line.ts'

/** A line that names what is asked for, and where it stands. */
export interface Sighting {
  readonly line: SourceLine
  readonly place: Place
  /** Absent when the line merely uses the name. */
  readonly standing?: Standing
}

const standings: readonly Standing[] = ['definition', 'member', 'declaration', 'possible']

/**
 * Picks the lines that define a name: sources before tests, type stubs and build output, outer ones before inner.
 * Lines that `prefers` come before all others.
 */
export function definitionsIn(
  lines: readonly SourceLine[],
  name: string,
  prefers: (line: SourceLine) => boolean = () => true,
): readonly Sighting[] {
  const standing = standingOf(name)
  const placeOf = placesAmong(lines.map(({ path }) => path))
  const sightings = uniqueLines(lines).flatMap((line) => {
    const found = standing(line)
    return found === undefined ? [] : [{ line, place: placeOf(line.path), standing: found }]
  })
  const sure = sightings.filter((sighting) => sighting.standing !== 'possible')
  return (sure.length > 0 ? sure : sightings).toSorted(
    (left, right) =>
      Number(prefers(right.line)) - Number(prefers(left.line)) ||
      comparePlaces(left.place, right.place) ||
      rankOf(left) - rankOf(right) ||
      indentOf(left.line) - indentOf(right.line) ||
      compareLines(left.line, right.line),
  )
}

const forward = /^(?:struct|union|enum|class)\s+\w+\s*;/

/** A header declares functions, and its users take that for the definition; a type named in advance is none. */
function rankOf({ standing, line }: Sighting & { readonly standing: Standing }): number {
  const isOuter = standing === 'declaration' && /\.h\w*$/.test(line.path) && !/^\s/.test(line.text)
  const isPrototype = isOuter && !forward.test(line.text)
  return standings.indexOf(isPrototype ? 'definition' : standing)
}

/** Picks the lines that use a name: sources first, code before imports, and imports before comments and prose. */
export function usesIn(lines: readonly SourceLine[], definitions: readonly Sighting[]): readonly Sighting[] {
  const known = new Set(definitions.map(({ line }) => keyOf(line)))
  const unique = uniqueLines(lines)
  const placeOf = placesAmong([...lines, ...definitions.map(({ line }) => line)].map(({ path }) => path))
  return unique
    .filter((line) => !known.has(keyOf(line)))
    .map((line) => ({ line, place: placeOf(line.path) }))
    .toSorted(
      (left, right) =>
        comparePlaces(left.place, right.place) ||
        weightOf(left.line) - weightOf(right.line) ||
        compareLines(left.line, right.line),
    )
}

/** Moves the further lines of a file behind the first ones of all files, so that no file fills an answer. */
export function spread<T extends { readonly line: SourceLine }>(
  sightings: readonly T[],
  perFile: number,
): readonly T[] {
  const counts = new Map<string, number>()
  const isFirst = sightings.map(({ line }) => {
    const count = (counts.get(line.path) ?? 0) + 1
    counts.set(line.path, count)
    return count <= perFile
  })
  return [...sightings.filter((_, index) => isFirst[index]), ...sightings.filter((_, index) => !isFirst[index])]
}

/** Orders lines by path, the nearer to the root first, then by number. */
export function compareLines(left: SourceLine, right: SourceLine): number {
  return comparePaths(left.path, right.path) || left.line - right.line
}

function uniqueLines(lines: readonly SourceLine[]): readonly SourceLine[] {
  return [...new Map(lines.map((line) => [keyOf(line), line])).values()]
}

function keyOf({ path, line }: SourceLine): string {
  return `${path}:${line}`
}

function weightOf({ path, text }: SourceLine): number {
  if (isComment(text) || /\.(?:mdx?|txt|rst)$/.test(path)) return 2
  return isImport(text) ? 1 : 0
}

function indentOf({ text }: SourceLine): number {
  return text.length - text.trimStart().length
}
