import type { Answer } from '../compose.ts'
import type { Plan } from '../plan.ts'
import { comparePlaces, placesAmong } from '../rank.ts'
import { compareLines, spread } from '../sighting.ts'
import { cite, citeVerbatim, inlineCode, type SourceLine } from '../source-line.ts'
import { isShouted } from '../terms.ts'
import { anyCase, escapePattern, glob, grep, readFile } from '../tool-call.ts'
import type { FoundLines } from '../tool-output.ts'

interface Term {
  readonly text: string
  readonly found: FoundLines
}

interface Scored {
  readonly line: SourceLine
  readonly terms: readonly string[]
}

/** Answers any other question by its rarest terms: the lines that have most of them, and the files named like them. */
export function* termsPlan(asked: readonly string[], isPhrase: boolean): Plan {
  const searches = asked.map((term) => grep(escapePattern(term), { ignoreCase: !isPhrase && !isShouted(term) }))
  const names = isPhrase ? [] : asked.slice(0, 2).map((term) => glob(`**/*${anyCase(term)}*`))
  const found = yield [...searches, ...names]
  const terms = asked
    .map((text, index) => ({ text, found: found.found(index) }))
    .filter((term) => term.found.lines.length > 0)
    .toSorted((left, right) => weight(left) - weight(right))
  const together = yield* searchTogether(terms)
  const files = [...new Set(names.flatMap((_, index) => found.paths(asked.length + index).paths))]
  const best = scoreLines(terms, together)
  if (best.length === 0 && files.length === 0) return { opening: `I found nothing about ${quoteTerms(asked)}.` }
  const around = yield* readAround(best[0]?.line)
  return answer(asked, terms, best, around, files)
}

/** Rare terms tell more; one whose search was capped is the least rare. */
function weight({ found }: Term): number {
  return found.lines.length + (found.capped ? 1_000 : 0)
}

/** Searches that were capped miss the lines that have two terms, so these are searched once more. */
function* searchTogether([first, second]: readonly Term[]): Plan<readonly SourceLine[]> {
  if (first?.found.capped !== true || second === undefined) return []
  const [left, right] = [escapePattern(first.text), escapePattern(second.text)]
  const both = yield [`${left}.*${right}`, `${right}.*${left}`].map((pattern) => grep(pattern, { ignoreCase: true }))
  return [...both.found(0).lines, ...both.found(1).lines]
}

function* readAround(best: SourceLine | undefined): Plan<readonly SourceLine[]> {
  if (best === undefined) return []
  const read = (yield [readFile(best.path, Math.max(1, best.line - 2), best.line + 5)]).read(0)
  return read.lines.filter(({ text }) => text.trim() !== '')
}

/** Lines with more of the terms come first, then those of files with more of them, then by place. */
function scoreLines(terms: readonly Term[], together: readonly SourceLine[]): readonly Scored[] {
  const all = [...terms.flatMap(({ found }) => found.lines), ...together]
  const lines = [...new Map(all.map((line) => [`${line.path}:${line.line}`, line])).values()]
  const placeOf = placesAmong(lines.map(({ path }) => path))
  const rarity = new Map(terms.map(({ text }, index) => [text, terms.length - index]))
  const scored = lines.map((line) => ({ line, terms: terms.map(({ text }) => text).filter((term) => has(line, term)) }))
  const fileTerms = new Map<string, Set<string>>()
  for (const { line, terms: own } of scored) {
    fileTerms.set(line.path, new Set([...(fileTerms.get(line.path) ?? []), ...own]))
  }
  const scoreOf = ({ line, terms: own }: Scored): number =>
    own.reduce((sum, term) => sum + 10 + (rarity.get(term) ?? 0), 0) + 4 * (fileTerms.get(line.path)?.size ?? 0)
  return scored.toSorted(
    (left, right) =>
      comparePlaces(placeOf(left.line.path), placeOf(right.line.path)) ||
      scoreOf(right) - scoreOf(left) ||
      compareLines(left.line, right.line),
  )
}

function has({ path, text }: SourceLine, term: string): boolean {
  return `${path} ${text}`.toLowerCase().includes(term.toLowerCase())
}

function answer(
  asked: readonly string[],
  terms: readonly Term[],
  best: readonly Scored[],
  around: readonly SourceLine[],
  files: readonly string[],
): Answer {
  const lines = spread(best, 3)
  const missing = asked.filter((text) => !terms.some((term) => term.text === text))
  const capped = terms.some(({ found }) => found.capped)
  const counts = terms.map(
    ({ text, found }) => `${quoteTerms([text])} on ${found.capped ? 'more than ' : ''}${found.lines.length} lines`,
  )
  const opening =
    counts.length === 0
      ? `No line has ${quoteTerms(asked)}, but files are named so.`
      : `I found ${counts.join(', ')}; these fit best.`
  const first = around.length > 1 ? around : best.slice(0, 1).map(({ line }) => line)
  const shown = new Set(first.map(({ path, line }) => `${path}:${line}`))
  const others = lines.filter(({ line }) => !shown.has(`${line.path}:${line.line}`))
  return {
    opening,
    parts: [
      { lines: first.map(citeVerbatim), most: 8 },
      { title: 'More lines', lines: others.map(({ line }) => cite(line)), most: 8 },
      { title: 'Files named so', lines: files, most: 4 },
    ],
    notes: [
      ...(missing.length > 0 && terms.length > 0 ? [`Nothing has ${quoteTerms(missing)}.`] : []),
      ...(capped ? ['One search returns a limited number of matches; there may be more.'] : []),
    ],
  }
}

function quoteTerms(terms: readonly string[]): string {
  return terms.map((term) => inlineCode(term)).join(', ')
}
