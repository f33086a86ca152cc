import type { Plan } from '../plan.ts'
import { glob } from '../tool-call.ts'

/** Files of the workspace, as far as listings told them. */
export interface Listing {
  readonly paths: readonly string[]
  /** There are more. */
  readonly isCapped: boolean
}

/** How many calls may follow when one listing does not hold all files. */
const maxFurther = 3

/** Lists all files, in further steps when one listing does not hold them. */
export function* listAll(): Plan<Listing> {
  const first = yield [glob('**/*'), glob('*')]
  const paths = new Set([...first.paths(0).paths, ...first.paths(1).paths])
  let page = first.paths(0)
  for (let further = 0; page.capped && further < maxFurther; further += 1) {
    const pattern = restPattern(page.paths, further)
    if (pattern === undefined) break
    page = (yield [glob(pattern)]).paths(0)
    for (const path of page.paths) paths.add(path)
  }
  return { paths: [...paths], isCapped: page.capped }
}

/** Listings come sorted, so the folders that are missing start with the last first letter, or a later one. */
function restPattern(paths: readonly string[], further: number): string | undefined {
  const starts = paths.filter((path) => path.includes('/')).map((path) => path.charCodeAt(0))
  const last = starts.at(-1)
  if (last === undefined) return undefined
  // the page that began with this letter ended with it: the rest of that letter is more than one listing
  const isStuck = further > 0 && starts[0] === last
  const before = String.fromCharCode(isStuck ? last : last - 1)
  return `[! -${/[\\\]]/.test(before) ? '\\' : ''}${before}]*/**/*`
}

/** Counts files by their outermost folder, the largest first, as rows to show. */
export function countByFolder(paths: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const path of paths) {
    const folder = path.includes('/') ? `${path.split('/', 1)[0]}/` : './'
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .toSorted(([left, leftCount], [right, rightCount]) => rightCount - leftCount || (left < right ? -1 : 1))
    .map(([folder, count]) => `${folder}  ${count === 1 ? '1 file' : `${count} files`}`)
}
