import { lstat } from 'node:fs/promises'
import { isSystemError } from '../../files/system-error.ts'
import { workspaceError } from '../codes.ts'

/** What a search starts at. */
export type SearchRootKind = 'folder' | 'file'

/** A place where a search may start. */
export interface SearchRoot {
  readonly kind: SearchRootKind
  /** In bytes; only of use for a file. */
  readonly size: number
}

/**
 * Says what is at a canonical path, when a search may start there.
 *
 * @throws ToolError `not_found`, `not_a_folder`, `not_a_file` or `unreadable`.
 */
export async function searchRoot(
  canonical: string,
  display: string,
  allowed: readonly SearchRootKind[],
): Promise<SearchRoot> {
  const stat = await lstat(canonical).catch((error: unknown) => {
    const isMissing = isSystemError(error, 'ENOENT', 'ENOTDIR')
    throw isMissing
      ? workspaceError('not_found', `no such file or folder: ${display}`, error)
      : workspaceError('unreadable', `could not read: ${display}`, error)
  })
  if (stat.isDirectory() && allowed.includes('folder')) return { kind: 'folder', size: stat.size }
  if (stat.isFile() && allowed.includes('file')) return { kind: 'file', size: stat.size }
  if (allowed.includes('file')) throw workspaceError('not_a_file', `neither a file nor a folder: ${display}`)
  throw workspaceError('not_a_folder', `not a folder: ${display}`)
}
