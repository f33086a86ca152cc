import { join } from 'node:path'
import { walkFiles } from '../walk-files.ts'
import type { SearchRequest } from './search.ts'

/** The files below a search root. */
export interface FileList {
  /** Absolute, in the order in which ripgrep visits them: folder by folder, names compared as bytes. */
  readonly paths: readonly string[]
  /** The noise folders that were met. */
  readonly skipped: ReadonlySet<string>
}

/** Lists what a search visits. @throws ToolError `too_many_files`; the signal's reason when it is aborted. */
export async function listFiles(request: SearchRequest): Promise<FileList> {
  const { path, isFile, recursive, includeNoise, guard, signal } = request
  if (isFile) return { paths: [path], skipped: new Set() }
  const keys: string[] = []
  const depth = recursive ? undefined : 1
  const skipped = await walkFiles(path, { guard, signal, includeNoise, depth }, (folder, names) => {
    // NUL sorts before every other character, so that a folder's files come where its name does
    const key = folder.replaceAll('/', '\0')
    for (const name of names) keys.push(key + name)
  })
  keys.sort()
  if (keys.some((key) => /[\ud800-\udfff]/.test(key))) {
    keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  }
  const paths = keys.map((key) => join(path, key.replaceAll('\0', '/')))
  return { paths, skipped: recursive ? skipped : new Set() }
}
