import { baseName } from '../language.ts'
import type { Plan } from '../plan.ts'
import { comparePlaces, placesAmong } from '../rank.ts'
import { compareLines } from '../sighting.ts'
import { cite, inlineCode } from '../source-line.ts'
import { escapePattern, grep } from '../tool-call.ts'
import type { NameQuestion } from './name-question.ts'

const raw = String.raw

/** Finds the files that import a name or a module. */
export function* importsPlan({ name: { name }, within }: NameQuestion): Plan {
  const search = importSearch(name)
  const found = (yield [grep(search.pattern, { path: within })]).found(0)
  const placeOf = placesAmong(found.lines.map(({ path }) => path))
  const imports = found.lines
    .filter(({ text }) => search.judge.test(text))
    .toSorted((left, right) => comparePlaces(placeOf(left.path), placeOf(right.path)) || compareLines(left, right))
  if (imports.length === 0) return { opening: `I found no line that imports ${inlineCode(name)}.` }
  const files = new Set(imports.map(({ path }) => path)).size
  const amount = `${found.capped ? 'at least ' : ''}${files === 1 ? '1 file' : `${files} files`}`
  return {
    opening: `${inlineCode(name)} is imported in ${amount}.`,
    parts: [{ lines: imports.map(cite), most: 24 }],
    notes: found.capped ? ['One search returns a limited number of matches; there may be more.'] : [],
  }
}

/**
 * The ways in which languages import: by a keyword, by a call, or in a list over several lines. The pattern finds
 * more than the judge takes, because a search is fast only when the name stands outside of any alternative.
 */
function importSearch(asked: string): { readonly pattern: string; readonly judge: RegExp } {
  const isModule = /[./]/.test(asked)
  const word = escapePattern(isModule ? baseName(asked).replace(/\.\w+$/, '') : asked)
  const keyword = raw`^\s*(?:import|export|from|use|pub use|using|#\s*include|require|require_relative|source|\.|load)\s?.*`
  const call = raw`(?:require|import)\s*\(\s*["'](?:[^"']*/)?`
  const list = raw`\}\s*from\s+["'](?:[^"']*/)?`
  const module = `(?:${keyword}["'/<]|${call}|${list})${word}(?:\\.\\w+)?(?:["'/>]|$)`
  if (isModule) return { pattern: module, judge: new RegExp(module) }
  const item = raw`^\s+(?:type\s+)?`
  return {
    pattern: raw`(?:${keyword}[^\w$]|${call}|${list}|${item})${word}(?:[^\w$]|$)`,
    judge: new RegExp(raw`(?:${keyword}[^\w$]|${call}|${list})${word}(?:[^\w$]|$)|${item}${word}(?:\s+as\s+\w+)?,\s*$`),
  }
}
