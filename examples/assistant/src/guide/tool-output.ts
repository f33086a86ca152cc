import { isNameable, type SourceLine, sourceLine } from './source-line.ts'

/** What Glob found. */
export interface FoundPaths {
  readonly paths: readonly string[]
  /** There are more than it listed. */
  readonly capped: boolean
}

/** What Grep found, by path, then line. */
export interface FoundLines {
  readonly lines: readonly SourceLine[]
  /** There are more than it listed. */
  readonly capped: boolean
  /** Names of folders that it did not enter. */
  readonly skipped: readonly string[]
}

/** What ReadFile showed. */
export interface ReadLines {
  readonly lines: readonly SourceLine[]
  /** How many lines the file has, as far as it was told. */
  readonly total: number
}

const notice = /^\[[^\]]* [^\]]*\]$/

/** Reads the text of Glob: one path per line, then notices in brackets. */
export function readGlob(text: string): FoundPaths {
  const rows = text === '' || text.startsWith('no matches') ? [] : text.split('\n')
  const notices = noticesOf(text)
  const paths = rows.filter((row) => row !== '' && !notice.test(row) && isNameable(row))
  return { paths, capped: isCapped(notices) }
}

/** Reads the text of Grep: `path:line:text` lines, then notices in brackets. */
export function readGrep(text: string): FoundLines {
  const lines: SourceLine[] = []
  for (const row of text.split('\n')) {
    const match = /^(.+?):(\d{1,9}):/.exec(row)
    if (match?.[1] === undefined || match[2] === undefined) continue
    if (isNameable(match[1])) lines.push(sourceLine(match[1], Number(match[2]), row.slice(match[0].length)))
  }
  const notices = noticesOf(text)
  return { lines, capped: isCapped(notices), skipped: skippedOf(notices) }
}

/** Reads the text of ReadFile: numbered lines, then notices in brackets. Nothing in a file looks like either. */
export function readFileText(path: string, text: string): ReadLines {
  const lines: SourceLine[] = []
  for (const row of text.split('\n')) {
    const match = /^ *(\d{1,9})\t/.exec(row)
    if (match?.[1] !== undefined) lines.push(sourceLine(path, Number(match[1]), row.slice(match[0].length)))
  }
  const told = noticesOf(text).flatMap((line) => /^\[lines \d+-\d+ of (\d+)/.exec(line)?.[1] ?? [])
  return { lines, total: Number(told[0] ?? lines.at(-1)?.line ?? 0) }
}

/** Notices stand last, so that a file of such a name is not taken for one. */
function noticesOf(text: string): readonly string[] {
  const notices: string[] = []
  for (const row of text.trimEnd().split('\n').reverse()) {
    if (!notice.test(row)) break
    notices.push(row)
  }
  return notices
}

function isCapped(notices: readonly string[]): boolean {
  return notices.some((line) => line.startsWith('[more '))
}

function skippedOf(notices: readonly string[]): readonly string[] {
  const start = '[skipped folders: '
  const line = notices.find((text) => text.startsWith(start))
  return line === undefined ? [] : line.slice(start.length, -1).split(', ')
}
