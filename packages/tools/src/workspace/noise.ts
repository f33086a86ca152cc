import { relative, sep } from 'node:path'

/**
 * Folders that Glob and Grep skip below their search root, by name: made or fetched by tools, not written by people. A
 * search that starts in one skips nothing.
 */
export const noiseFolders: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  'node_modules',
  'vendor',
  'dist',
  'build',
  'target',
  '.next',
  '__pycache__',
])

/**
 * Says whether a search starts in or at a noise folder of the workspace: then somebody wants to see what is in it, also
 * below a folder that would be noise elsewhere, as the `dist` of a package in `node_modules`.
 */
export function startsInNoise(root: string, start: string): boolean {
  return relative(root, start)
    .split(sep)
    .some((name) => noiseFolders.has(name))
}

/** Tells which noise folders were met and skipped; empty when none was. */
export function skippedNotice(skipped: Iterable<string>): string[] {
  const names = [...skipped].sort()
  return names.length === 0 ? [] : [`[skipped folders: ${names.join(', ')}]`]
}

/** Tells how many files are left out because their names cannot be printed; empty when there are none. */
export function unprintableNotice(count: number): string[] {
  return count === 0 ? [] : [`[skipped ${count} files whose names hold control characters]`]
}
