import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink } from 'node:fs/promises'
import type { ToolError } from '../../contract/errors.ts'
import { type WorkspaceToolCode, workspaceError } from '../codes.ts'
import { isSystemError } from './contained-path.ts'

/** Neither follow a link at the end nor wait for the other end of a pipe. */
export const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** An open regular file. The caller closes the handle. */
export interface OpenFile {
  readonly handle: FileHandle
  readonly size: number
}

/**
 * Opens a regular file under its own name and proves that it is the canonical one: a parent folder that was swapped
 * for a link in the meantime leads to another file and is refused.
 *
 * @throws ToolError `not_found`, `symlink_refused`, `not_a_file`, `unreadable` or `changed_since_approval`.
 */
export async function openRegularFile(lexical: string, canonical: string, display: string): Promise<OpenFile> {
  const handle = await open(lexical, readFlags).catch((error: unknown) => {
    throw openError(error, display)
  })
  try {
    const stat = await handle.stat({ bigint: true })
    if (!stat.isFile()) throw workspaceError('not_a_file', `not a regular file: ${display}`)
    if (!(await isOpenAt(handle, stat, canonical))) {
      throw workspaceError('changed_since_approval', `${display} was replaced while it was opened; call again`)
    }
    return { handle, size: Number(stat.size) }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Linux tells the path of an open file. Elsewhere the file's identity is compared with what the path leads to now. */
async function isOpenAt(handle: FileHandle, stat: { dev: bigint; ino: bigint }, canonical: string): Promise<boolean> {
  const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined)
  if (opened !== undefined) return opened === canonical
  const named = await lstat(canonical, { bigint: true }).catch(() => undefined)
  return named?.isFile() === true && named.dev === stat.dev && named.ino === stat.ino
}

function openError(error: unknown, display: string): ToolError {
  const [code, message] = describeOpenError(error)
  return workspaceError(code, `${message}: ${display}`, error)
}

function describeOpenError(error: unknown): [WorkspaceToolCode, string] {
  if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) return ['not_found', 'file not found']
  if (isSystemError(error, 'ELOOP', 'EMLINK')) return ['symlink_refused', 'refusing to follow the link']
  if (isSystemError(error, 'ENXIO', 'ENODEV', 'EISDIR')) return ['not_a_file', 'not a regular file']
  return ['unreadable', 'could not open']
}
