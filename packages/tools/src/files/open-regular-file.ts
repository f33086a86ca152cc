import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { isLooprigError } from '@looprig/core'
import { ToolError } from '../contract/errors.ts'
import { type FileErrorCode, fileError } from './file-error.ts'
import { type HeldFolder, holdFolder } from './held-folder.ts'
import { isSystemError } from './system-error.ts'

/** Neither follow a link at the end nor wait for the other end of a pipe. */
export const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** An open regular file. The caller closes the handle. */
export interface OpenFile {
  readonly handle: FileHandle
  readonly size: number
}

/**
 * Opens a regular file without following any link, from a trusted folder down: a parent that was swapped for a link
 * since the path was resolved is refused.
 *
 * @param base - an absolute canonical folder above the file.
 * @param canonical - the file, with every link resolved.
 * @throws ToolError `not_found`, `symlink_refused`, `not_a_file`, `unreadable` or `resolution_changed`.
 */
export async function openRegularFile(base: string, canonical: string, display: string): Promise<OpenFile> {
  if (canonical === base) throw notRegular(display)
  const folder = await holdFolder(base, dirname(canonical), { display }).catch((error: unknown) => {
    const isBelowFile = isLooprigError(error) && error.code === 'not_a_folder'
    throw isBelowFile ? fileError('not_found', `file not found: ${display}`, error) : error
  })
  try {
    return await openEntry(folder, basename(canonical), display)
  } finally {
    await folder.close()
  }
}

/** Opens a regular file of a folder. @throws ToolError as `openRegularFile`. */
export async function openEntry(folder: HeldFolder, name: string, display: string): Promise<OpenFile> {
  const path = folder.at(name)
  const handle = await openPlain(path, display).catch((error: unknown) => {
    if (error instanceof ToolError) throw error
    const [code, message] = describeOpenError(error)
    throw fileError(code, `${message}: ${display}`, error)
  })
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) throw notRegular(display)
    if (!(await folder.isInPlace())) {
      throw fileError('resolution_changed', `${display} was moved while it was opened; call again`)
    }
    return { handle, size: stat.size }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** To open a device may already do something, so it is looked at first. */
async function openPlain(path: string, display: string): Promise<FileHandle> {
  const found = await lstat(path)
  if (!found.isFile() && !found.isSymbolicLink()) throw notRegular(display)
  return open(path, readFlags)
}

function notRegular(display: string): ToolError {
  return fileError('not_a_file', `not a regular file: ${display}`)
}

function describeOpenError(error: unknown): [FileErrorCode, string] {
  if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) return ['not_found', 'file not found']
  if (isSystemError(error, 'ELOOP', 'EMLINK')) return ['symlink_refused', 'refusing to follow the link']
  if (isSystemError(error, 'ENXIO', 'ENODEV', 'EISDIR')) return ['not_a_file', 'not a regular file']
  return ['unreadable', 'could not open']
}
