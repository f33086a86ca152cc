import type { Answer } from '../compose.ts'
import type { Plan } from '../plan.ts'
import type { FileFilter } from '../question.ts'
import { comparePaths, comparePlaces, placesAmong } from '../rank.ts'
import { inlineCode } from '../source-line.ts'
import { anyCase, escapeGlob, glob } from '../tool-call.ts'
import { countByFolder, type Listing, listAll } from './listing.ts'

const testFiles = '{*.test.*,*.spec.*,*_test.*,*_spec.*,test_*,*Test.java,*Tests.java,*.bats}'
const testFolders = '{test,tests,__tests__,spec,specs,t}'

/** Lists, finds or counts files. */
export function* filesPlan(filter: FileFilter): Plan {
  const patterns = patternsOf(filter)
  const found = patterns.length === 0 ? yield* listAll() : yield* list(patterns)
  const name = filter.name ?? filter.folder
  if (found.paths.length > 0 || name === undefined) return answer(what(filter), found)
  const wide = yield* list([`**/*${anyCase(name)}*`, `**/*${anyCase(name)}*/**/*`])
  return answer(what({ name }), wide)
}

function* list(patterns: readonly string[]): Plan<Listing> {
  const findings = yield patterns.map((pattern) => glob(pattern))
  const found = patterns.map((_, index) => findings.paths(index))
  return { paths: [...new Set(found.flatMap(({ paths }) => paths))], isCapped: found.some(({ capped }) => capped) }
}

function patternsOf({ glob: pattern, folder, name, extensions, tests }: FileFilter): readonly string[] {
  const prefix = folder === undefined ? '' : `${escapeGlob(folder)}/`
  if (tests === true) return [`${prefix}**/${testFiles}`, `${prefix}**/${testFolders}/**/*`]
  if (pattern !== undefined) return [pattern.includes('/') ? pattern.replace(/^\.?\//, '') : `**/${pattern}`]
  if (extensions !== undefined) return extensions.map((extension) => `${prefix}**/*.${escapeGlob(extension)}`)
  if (name !== undefined) return [`${prefix}**/${name.includes('.') ? '' : '*'}${escapeGlob(name)}*`]
  return folder === undefined ? [] : [`${prefix}**/*`]
}

function what({ glob: pattern, folder, name, extensions, tests }: FileFilter): string {
  const place = folder === undefined ? '' : ` in ${inlineCode(folder)}`
  if (tests === true) return `test files${place}`
  const matched = pattern ?? name ?? extensions?.map((extension) => `*.${extension}`).join(', ')
  return matched === undefined ? `files${place}` : `files matching ${inlineCode(matched)}${place}`
}

function answer(asked: string, { paths, isCapped }: Listing): Answer {
  if (paths.length === 0) return { opening: `I found no ${asked}.` }
  const placeOf = placesAmong(paths)
  const sorted = paths.toSorted(
    (left, right) => comparePlaces(placeOf(left), placeOf(right)) || comparePaths(left, right),
  )
  const folders = paths.length > 20 ? countByFolder(paths) : []
  const hasFolders = folders.length > 1
  const noun = paths.length === 1 ? asked.replace('files', 'file') : asked
  return {
    opening: `I found ${isCapped ? 'at least ' : ''}${paths.length} ${noun}.`,
    parts: [
      { lines: sorted, most: hasFolders ? 14 : 22 },
      { title: 'By folder', lines: hasFolders ? folders : [], most: 7 },
    ],
    notes: isCapped ? ['A listing returns a limited number of files; there are more.'] : [],
  }
}
