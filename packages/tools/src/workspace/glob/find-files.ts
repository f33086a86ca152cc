import { lstat, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { ReadGuard } from '../../contract/read-guard.ts'
import { relativeInside } from '../path/contained-path.ts'
import { isPrintablePath } from '../path/printable.ts'
import { visiblePath } from '../path/visible-path.ts'
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
    const walk = walkFiles(start, { guard, signal, depth })
    for await (const file of walk.files) {
      if (!alternatives.some((alternative) => alternative.matches(file))) continue
      const path = join(start, file)
      if (!guard.deniedRead(path)) names.add(relativeInside(root, path) ?? '')
    }
    for (const name of walk.skipped) skippedFolders.add(name)
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
  { root, guard, signal, maxFiles, maxBytes }: FindRequest,
): Promise<Omit<FoundFiles, 'skippedFolders'>> {
  const files: string[] = []
  let bytes = 0
  let unprintable = 0
  for (const name of names.sorted()) {
    signal.throwIfAborted()
    const visible = await visiblePath(root, join(root, name), guard)
    if (visible === undefined) continue
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
