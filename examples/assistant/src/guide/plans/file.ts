import type { Answer } from '../compose.ts'
import { definesAnything, isComment } from '../definition.ts'
import { baseName, extensionOf, languagesOf } from '../language.ts'
import type { Plan } from '../plan.ts'
import { comparePaths, comparePlaces, placesAmong } from '../rank.ts'
import { cite, citeVerbatim, inlineCode, type SourceLine } from '../source-line.ts'
import { anyCase, escapeGlob, escapePattern, glob, grep, readFile } from '../tool-call.ts'
import type { ReadLines } from '../tool-output.ts'

/** What is asked of a file. */
export interface FileQuestion {
  /** As the person wrote it: a path, or only a name. */
  readonly path: string
  /** What the file defines is wanted, not its text. */
  readonly outline: boolean
  readonly range?: { readonly from: number; readonly to: number }
}

/** The most lines of a file that one answer quotes. */
const maxQuoted = 22

/** Shows a file, some of its lines, or what it defines. */
export function* filePlan({ path, outline, range }: FileQuestion): Plan {
  const paths = yield* findFile(path)
  const [best] = paths
  if (best === undefined) return yield* nothingNamed(path)
  const others = paths.slice(1).filter((other) => baseName(other) === baseName(best))
  const read = (yield [range === undefined ? readFile(best) : readFile(best, range.from, range.to)]).read(0)
  if (read.lines.length === 0) return { opening: `I could not quote a line of ${inlineCode(best, 210)}.` }
  const answer = outline ? outlineOf(best, read) : textOf(best, read, range)
  if (others.length === 0) return answer
  return { ...answer, parts: [...(answer.parts ?? []), { title: 'Other files of that name', lines: others, most: 4 }] }
}

/** What is no file may be a folder, or a word in a file. */
function* nothingNamed(path: string): Plan {
  const found = yield [glob(`**/${anyCase(path)}/*`), grep(escapePattern(path.slice(0, 100)))]
  return {
    opening: `I found no file ${inlineCode(path)} in this folder.`,
    parts: [
      { title: 'Files in a folder of that name', lines: found.paths(0).paths, most: 12 },
      { title: 'Lines that mention it', lines: found.found(1).lines.map(cite), most: 8 },
    ],
  }
}

/** The files that a person may mean, the likeliest first: at that path, or else of that name, or of one like it. */
function* findFile(asked: string): Plan<readonly string[]> {
  const path = asked.replace(/^\.\//, '')
  const exact = yield [glob(`**/${escapeGlob(path)}`), glob(escapeGlob(path))]
  const found = [...exact.paths(0).paths, ...exact.paths(1).paths]
  if (found.length > 0) return likeliest(found, path)
  // a listing leaves some folders out; a read does not
  const guess = (yield path.includes('/') ? [{ ...readFile(path, 1, 1), isGuess: true }] : []).read(0)
  if (guess.lines.length > 0) return [path]
  const name = baseName(path)
  const stem = name.replace(/\.\w+$/, '')
  const wide = yield [glob(`**/${anyCase(name)}${name === stem ? '{,.*}' : ''}`), glob(`**/*${anyCase(stem)}*`)]
  const named = wide.paths(0).paths
  return likeliest(named.length > 0 ? named : wide.paths(1).paths, path)
}

function likeliest(paths: readonly string[], asked: string): readonly string[] {
  const placeOf = placesAmong(paths)
  const distance = (path: string): number => (path === asked ? 0 : path.endsWith(`/${asked}`) ? 1 : 2)
  return [...new Set(paths)].sort(
    (left, right) =>
      distance(left) - distance(right) || comparePlaces(placeOf(left), placeOf(right)) || comparePaths(left, right),
  )
}

function textOf(path: string, { lines, total }: ReadLines, range: FileQuestion['range']): Answer {
  const wanted = range === undefined ? lines : lines.filter(({ line }) => line >= range.from && line <= range.to)
  const shown = wanted.slice(0, maxQuoted)
  const last = shown.at(-1)?.line ?? 0
  const opening = `These are lines ${shown[0]?.line ?? 0} to ${last} of ${inlineCode(path, 210)}.`
  const end = range === undefined ? total : Math.min(range.to, total)
  const notes =
    last < end ? [`For more, ask: read lines ${last + 1}-${last + maxQuoted} of ${inlineCode(path, 210)}`] : []
  return { opening, parts: [{ lines: shown.map(citeVerbatim) }], notes }
}

function outlineOf(path: string, read: ReadLines): Answer {
  const { lines, total } = read
  const about = leadingComment(lines)
  const defined = withoutTexts(lines).filter(landmarkOf(path))
  const size = total === 1 ? '1 line' : `${total} lines`
  if (defined.length === 0 && about.length === 0) return textOf(path, read, undefined)
  const kind = /^(?:md|mdx|markdown)$/.test(extensionOf(path)) ? 'headings' : 'definitions at its outermost level'
  return {
    opening: `${inlineCode(path, 210)} has ${size}; I cannot say what it means, but these are its ${kind}.`,
    parts: [
      { title: 'It begins', lines: about.map(citeVerbatim), most: 5 },
      { title: 'Outline', lines: defined.map(citeVerbatim), most: 18 },
    ],
    notes: lines.length < total ? [`Only its first ${lines.length} lines were read.`] : [],
  }
}

/** Leaves out what stands between triple quotes: a text of Python may look like code. */
function withoutTexts(lines: readonly SourceLine[]): readonly SourceLine[] {
  let isInside = false
  return lines.filter(({ path, text }) => {
    const marks = path.endsWith('.py') ? (text.match(/"""|'''/g)?.length ?? 0) : 0
    const wasInside = isInside
    if (marks % 2 === 1) isInside = !isInside
    return !wasInside
  })
}

/** The comment at the top of a file. */
function leadingComment(lines: readonly SourceLine[]): readonly SourceLine[] {
  const start = lines.findIndex(({ text }) => text.trim() !== '' && !text.startsWith('#!'))
  const first = lines[start]
  if (first === undefined || languagesOf(first.path).length === 0 || !isComment(first.text)) return []
  const isBlock = /^\s*(?:\/\*|"""|''')/.test(first.text)
  const isEnd = /\*\/|"""\s*$|'''\s*$/
  const end = isBlock
    ? lines.findIndex(({ text }, index) => index >= start && isEnd.test(index === start ? text.slice(3) : text)) + 1
    : lines.findIndex(({ text }, index) => index > start && !isComment(text))
  return lines.slice(start, end > start ? end : start + 1)
}

/** What marks the parts of a file: headings of a text, outermost members of JSON and tables of TOML, definitions of code. */
function landmarkOf(path: string): (line: SourceLine) => boolean {
  const extension = extensionOf(path)
  if (/^(?:md|mdx|markdown)$/.test(extension)) return ({ text }) => /^#{1,3}\s/.test(text)
  if (/^jsonc?$/.test(extension)) return ({ text }) => /^(?: {2}|\t)"[^"]+"\s*:/.test(text)
  if (/^(?:toml|ini|cfg)$/.test(extension)) return ({ text }) => /^\[/.test(text)
  if (/^ya?ml$/.test(extension)) return ({ text }) => /^[\w"'-]+:/.test(text)
  return definesAnything
}
