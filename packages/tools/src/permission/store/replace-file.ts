import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FileError } from '../errors.ts'
import { withoutPath } from './read-secure.ts'

/** Where a replacement may be stopped, so that tests can kill it there. */
export type ReplaceStep = 'write' | 'sync' | 'rename' | 'sync_folder'

/** Called before each step; what it throws stops the replacement there. */
export type OnStep = (step: ReplaceStep) => void | Promise<void>

/**
 * Puts these bytes in the file's place, all of them or none: written beside it, synced, renamed, the folder synced. The
 * caller holds the file's lock. On a failure the old file is what it was.
 *
 * @throws FileError `io`
 */
export async function replaceFile(path: string, bytes: Buffer, onStep: OnStep = () => {}): Promise<void> {
  const temp = join(dirname(path), `${tempPrefix(path)}${randomBytes(12).toString('hex')}.tmp`)
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
    await withFile(temp, flags, async (file) => {
      await onStep('write')
      await file.chmod(0o600)
      await file.writeFile(bytes)
      await onStep('sync')
      await file.sync()
    })
    await onStep('rename')
    await rename(temp, path)
  } catch (error) {
    await unlink(temp).catch(() => {})
    throw asFileError(error)
  }
  try {
    await onStep('sync_folder')
    await withFile(dirname(path), constants.O_RDONLY, (folder) => folder.sync())
  } catch (error) {
    // The new file is in place, but a loss of power could take it away: who waits for it must not go on.
    throw asFileError(error)
  }
}

async function withFile(path: string, flags: number, use: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, flags, 0o600)
  try {
    await use(file)
  } finally {
    await file.close()
  }
}

/** Removes what a killed process left between writing and renaming. The caller holds the file's lock. */
export async function removeLeftovers(path: string): Promise<void> {
  const prefix = tempPrefix(path)
  const names = await readdir(dirname(path)).catch(() => [])
  for (const name of names) {
    if (name.startsWith(prefix) && name.endsWith('.tmp')) await unlink(join(dirname(path), name)).catch(() => {})
  }
}

/**
 * Makes the file's folder when it is missing, and checks that nobody else can write into it.
 *
 * @throws FileError `directory_unsafe` or `io`
 */
export async function prepareFolder(path: string): Promise<void> {
  const folder = dirname(path)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const stats = await lstat(folder)
    const user = process.geteuid?.()
    const foreign = user !== undefined && (stats.uid !== user || (stats.mode & 0o022) !== 0)
    if (!stats.isDirectory() || foreign) throw new FileError('directory_unsafe')
  } catch (error) {
    throw asFileError(error)
  }
}

function tempPrefix(path: string): string {
  return `.${basename(path)}-`
}

function asFileError(error: unknown): FileError {
  if (error instanceof FileError) return error
  return new FileError('io', { cause: withoutPath((error as NodeJS.ErrnoException).code) }) // proved: node:fs throws such
}
