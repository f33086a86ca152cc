import { clipLine } from './clip-line.ts'
import type { FoundLine } from './search.ts'
import type { LineMatch } from './worker-protocol.ts'

const lineFeed = 10

/** The lines to report: those that match, and around each as many others as are asked for, each line once. */
export function surroundMatches(bytes: Buffer, matches: readonly LineMatch[], contextLines: number): FoundLine[] {
  const found: FoundLine[] = []
  let last = 0
  for (const [index, match] of matches.entries()) {
    const before = Math.min(contextLines, match.line - last - 1)
    found.push(...linesBefore(bytes, match, before))
    found.push({
      line: match.line,
      text: clipLine(bytes.toString('utf8', match.start, match.end), match.matchStart),
      isMatch: true,
    })
    const next = matches[index + 1]
    const after = Math.min(contextLines, next === undefined ? contextLines : next.line - match.line - 1)
    const behind = linesAfter(bytes, match, after)
    found.push(...behind)
    last = match.line + behind.length
  }
  return found
}

function linesBefore(bytes: Buffer, match: LineMatch, count: number): FoundLine[] {
  const lines: FoundLine[] = []
  for (let end = match.start - 1, line = match.line - 1; lines.length < count && line > 0; line -= 1) {
    const start = end === 0 ? 0 : bytes.lastIndexOf(lineFeed, end - 1) + 1
    lines.unshift(contextLine(bytes, line, start, end))
    end = start - 1
  }
  return lines
}

function linesAfter(bytes: Buffer, match: LineMatch, count: number): FoundLine[] {
  const lines: FoundLine[] = []
  for (let start = match.end + 1; lines.length < count && start < bytes.length; ) {
    const feed = bytes.indexOf(lineFeed, start)
    const end = feed === -1 ? bytes.length : feed
    lines.push(contextLine(bytes, match.line + lines.length + 1, start, end))
    start = end + 1
  }
  return lines
}

function contextLine(bytes: Buffer, line: number, start: number, end: number): FoundLine {
  return { line, text: clipLine(bytes.toString('utf8', start, end), 0), isMatch: false }
}
