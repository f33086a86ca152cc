import { lstat, realpath } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import type { ReadGuard } from '../../contract/read-guard.ts'
import { relativeInside } from '../../files/contained-path.ts'
import { isPrintablePath } from '../../files/printable.ts'
import { isLocalDisk, realPathHere } from '../local-disk.ts'
import { startsInNoise } from '../noise.ts'
import { walkFiles } from '../walk-files.ts'
import type { GlobAlternative } from './glob-pattern.ts'
import { SmallestNames } from './smallest-names.ts'

/** Where to look. */
export interface FindRequest {
  /** The workspace, canonical. */
  readonly root: string
  /** The folder that the alternatives are relative to, canonical. */
  readonly folder: string
  readonly alternatives: readonly GlobAlternative[]
  readonly guard: ReadGuard
  readonly signal: AbortSignal
  /** The most files and the most bytes of names to return. */
  readonly maxFiles: number
  readonly maxBytes: number
}

/** What was found. */
export interface FoundFiles {
  /** Relative to the workspace, with forward slashes, sorted. */
  readonly files: readonly string[]
  /** There are more. */
  readonly isTruncated: boolean
  readonly skippedFolders: ReadonlySet<string>
  /** Files left out because their names cannot be printed. */
  readonly unprintable: number
}

/** How many names are kept for each one shown, since some turn out to be denied at the end. */
const slack = 8

/** Finds the first files in order of their names. */
export async function findFiles(request: FindRequest): Promise<FoundFiles> {
  const { root, folder, guard, signal } = request
  const names = new SmallestNames(request.maxFiles * slack)
  const skippedFolders = new Set<string>()
  for (const [base, alternatives] of groupByBase(request.alternatives)) {
    const start = join(folder, base)
    if (!(await isPlainFolder(start))) continue
    const depth = Math.max(...alternatives.map((alternative) => alternative.depth))
    const top = relativeInside(root, start)
    if (top === undefined) continue
    const prefix = top === '' ? '' : `${top}/`
    const above = root === '/' ? '' : root
    const includeNoise = startsInNoise(root, start)
    const skipped = await walkFiles(start, { guard, signal, depth, includeNoise }, (below, files) => {
      const folders = below.split('/').slice(0, -1)
      for (const file of files) {
        if (!alternatives.some((alternative) => alternative.matches(folders, file))) continue
        const name = `${prefix}${below}${file}`
        if (!guard.deniedRead(`${above}/${name}`)) names.add(name)
      }
    })
    for (const name of skipped) skippedFolders.add(name)
  }
  return { ...(await pickVisible(names, request)), skippedFolders }
}

function groupByBase(alternatives: readonly GlobAlternative[]): Map<string, GlobAlternative[]> {
  const groups = new Map<string, GlobAlternative[]>()
  for (const alternative of alternatives) {
    const group = groups.get(alternative.base)
    if (group === undefined) groups.set(alternative.base, [alternative])
    else group.push(alternative)
  }
  return groups
}

/** Takes names in order until enough of them may be shown. */
async function pickVisible(
  names: SmallestNames,
  { root, signal, maxFiles, maxBytes }: FindRequest,
): Promise<Omit<FoundFiles, 'skippedFolders'>> {
  const files: string[] = []
  let bytes = 0
  let unprintable = 0
  const resolve = (await isLocalDisk(root)) ? realPathHere : (path: string) => realpath(path).catch(() => undefined)
  const realFolders = new Map<string, string | undefined>()
  for (const name of names.sorted()) {
    signal.throwIfAborted()
    const folder = dirname(join(root, name))
    if (!realFolders.has(folder)) realFolders.set(folder, await resolve(folder))
    if (realFolders.get(folder) !== folder) continue // it was swapped for a link meanwhile
    const visible = sep === '/' ? name : name.replaceAll(sep, '/')
    if (!isPrintablePath(visible)) {
      unprintable += 1
      continue
    }
    bytes += Buffer.byteLength(visible) + 1
    if (files.length === maxFiles || bytes > maxBytes) return { files, unprintable, isTruncated: true }
    files.push(visible)
  }
  return { files, unprintable, isTruncated: names.isTruncated }
}

/** A folder reached without a link: links are not followed, wherever they are in the pattern. */
async function isPlainFolder(path: string): Promise<boolean> {
  const real = await realpath(path).catch(() => undefined)
  return real === path && (await lstat(path)).isDirectory()
}
