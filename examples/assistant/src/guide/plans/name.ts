import { definitionSearch, hasName, isComment, standingOf, wordSearch } from '../definition.ts'
import { baseName } from '../language.ts'
import type { Plan } from '../plan.ts'
import { definitionsIn, type Sighting, usesIn } from '../sighting.ts'
import { cite, inlineCode, type SourceLine } from '../source-line.ts'
import type { CodeName } from '../subject.ts'
import { escapePattern, grep, readFile, type ToolCall } from '../tool-call.ts'
import { answerAboutName } from './name-answer.ts'
import type { NameFocus, NameQuestion } from './name-question.ts'

/** Finds where a name is defined, then where it is used. */
export function* namePlan({ name, within }: NameQuestion, focus: NameFocus): Plan {
  const { lines, definitions, isCapped, skipped } = yield* sight(name, within)
  if (lines.length === 0) return yield* planNothingFound(name.name, within, skipped)
  const uses = usesIn(lines, definitions).filter(usesMeant(name.name, focus))
  const body = focus === 'explanation' ? yield* readBody(definitions[0]?.line) : []
  return answerAboutName({ name: name.name, focus, definitions, uses, body, isCapped })
}

interface Sighted {
  /** All lines that have the name. */
  readonly lines: readonly SourceLine[]
  readonly definitions: readonly Sighting[]
  readonly isCapped: boolean
  /** Folders that were not searched, by name. */
  readonly skipped: readonly string[]
}

/**
 * Definitions by keyword come first, because a search for the bare word is cut off where a name is common. Where it
 * was, the word is searched near the best definition, or else definitions are searched by shape.
 */
function* sight({ name, qualifier }: CodeName, within: string | undefined): Plan<Sighted> {
  const scope = { path: within }
  const owner = qualifier === undefined ? [] : [grep(definitionSearch(qualifier, 'keyword'), scope)]
  const defining = yield [grep(definitionSearch(name, 'keyword'), scope), ...owner]
  const prefers = qualifier === undefined ? undefined : belongsTo(qualifier, defining.found(1).lines)
  const all = (yield [grep(wordSearch(name), scope)]).found(0)
  const lines = [...defining.found(0).lines, ...all.lines].filter(hasName(name))
  const definitions = definitionsIn(lines, name, prefers)
  const further = all.capped ? furtherSearch(name, within, definitions[0]?.line.path) : undefined
  if (further === undefined) return { lines, definitions, isCapped: all.capped, skipped: all.skipped }
  const more = [...lines, ...(yield [further]).found(0).lines.filter(hasName(name))]
  return { lines: more, definitions: definitionsIn(more, name, prefers), isCapped: true, skipped: all.skipped }
}

function furtherSearch(name: string, within: string | undefined, best: string | undefined): ToolCall | undefined {
  if (best === undefined) return grep(definitionSearch(name, 'shape'), { path: within })
  const folder = best.split('/', 1)[0]
  return within === undefined && folder !== best ? grep(wordSearch(name), { path: folder }) : undefined
}

/** Lines that name the owner, or stand in a file that defines it or is called like it. */
function belongsTo(owner: string, lines: readonly SourceLine[]): (line: SourceLine) => boolean {
  const standing = standingOf(owner)
  const files = new Set(lines.filter((line) => standing(line) === 'definition').map(({ path }) => path))
  const namesOwner = new RegExp(wordSearch(owner))
  return ({ path, text }) => {
    const stem = baseName(path).replace(/\.\w+$/, '')
    return namesOwner.test(text) || files.has(path) || stem.toLowerCase() === owner.toLowerCase()
  }
}

function usesMeant(name: string, focus: NameFocus): (use: Sighting) => boolean {
  if (focus === 'test') return ({ place }) => place === 'test'
  if (focus !== 'call') return () => true
  const call = new RegExp(`(?:^|[^\\w$])${escapePattern(name)}\\s*(?:<[^()]*>)?\\(`)
  // a shell calls without parentheses
  return ({ line }) => !isComment(line.text) && (call.test(line.text) || !/\.\w+$/.test(line.path))
}

/** The comment right above a definition, the definition, and what follows up to the next blank line. */
function* readBody(best: SourceLine | undefined): Plan<readonly SourceLine[]> {
  if (best === undefined) return []
  const { lines } = (yield [readFile(best.path, Math.max(1, best.line - 8), best.line + 12)]).read(0)
  const at = lines.findIndex(({ line }) => line === best.line)
  if (at === -1) return []
  const above = lines.slice(0, at).findLastIndex(({ text }) => !isComment(text) && !/^\s*[@*]/.test(text))
  const below = lines.slice(at + 1).findIndex(({ text }) => text.trim() === '')
  return lines.slice(above + 1, below === -1 ? undefined : at + 1 + below)
}

/** Last tries: lines that come close, and the built or copied folders at the root, which a search leaves out. */
function* planNothingFound(name: string, within: string | undefined, skipped: readonly string[]): Plan {
  const folders = within === undefined ? skipped.filter((folder) => /^(?:dist|build|target|vendor)$/.test(folder)) : []
  const guesses = folders.map((path) => ({ ...grep(wordSearch(name), { path }), isGuess: true }))
  const tries = yield [grep(escapePattern(name), { path: within, ignoreCase: true }), ...guesses]
  const hidden = guesses.flatMap((_, index) => tries.found(index + 1).lines)
  const alike = tries.found(0).lines
  const place = within === undefined ? 'in this folder' : `in ${inlineCode(within)}`
  const known = hidden.length === 0 ? '' : `, except in ${folders.join(', ')}, which a search leaves out by default`
  return {
    opening: `I found nothing named ${inlineCode(name)} ${place}${known}.`,
    parts: [
      {
        lines: [...definitionsIn(hidden, name), ...usesIn(hidden, definitionsIn(hidden, name))].map(({ line }) =>
          cite(line),
        ),
        most: 12,
      },
      { title: 'Lines that come close', lines: alike.map(cite), most: 8 },
    ],
    notes: skipped.includes('node_modules')
      ? ['I did not search node_modules; add `in node_modules/` to the question to search it.']
      : [],
  }
}
