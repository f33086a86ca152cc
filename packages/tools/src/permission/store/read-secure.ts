import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { FileError } from '../errors.ts'

/**
 * Reads a file that only this user can have written: never through a link, a regular file with the mode 0600, one name and
 * this owner, checked on the open file itself.
 *
 * @returns nothing when there is no file.
 * @throws FileError
 */
export async function readSecure(path: string, maxBytes: number): Promise<Buffer | undefined> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const read = await readOnce(path, maxBytes)
    if (read !== 'replaced') return read
  }
  throw new FileError('io', { cause: withoutPath('EAGAIN') })
}

/** How often another process may put a new file in place between our opening and looking at it. */
const maxTries = 100

async function readOnce(path: string, maxBytes: number): Promise<Buffer | 'replaced' | undefined> {
  let file: FileHandle
  try {
    // Not blocking, so that a pipe in the file's place does not hold the process.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException // proved: node:fs throws no other errors
    if (code === 'ENOENT') return undefined
    if (code === 'ELOOP' || code === 'EMLINK') throw new FileError('symlink')
    throw new FileError(code === 'ENXIO' || code === 'EISDIR' ? 'not_regular' : 'io', { cause: withoutPath(code) })
  }
  try {
    const stats = await file.stat({ bigint: true })
    // It has no name any more: another one was renamed over it, which is as good as not having been opened yet.
    if (stats.isFile() && stats.nlink === 0n) return 'replaced'
    checkStats(stats, maxBytes)
    return await readWithin(file, maxBytes)
  } catch (error) {
    if (error instanceof FileError) throw error
    throw new FileError('io', { cause: withoutPath((error as NodeJS.ErrnoException).code) }) // proved: as above
  } finally {
    await file.close()
  }
}

function checkStats(stats: BigIntStats, maxBytes: number): void {
  if (!stats.isFile()) throw new FileError('not_regular')
  // Windows has neither owners nor modes of this form; there the folder of the user protects the file.
  const user = process.geteuid?.()
  if (user !== undefined) {
    if (stats.uid !== BigInt(user)) throw new FileError('owner_unexpected')
    if ((stats.mode & 0o7777n) !== 0o600n) throw new FileError('mode_unexpected')
  }
  if (stats.nlink !== 1n) throw new FileError('link_count_unexpected')
  if (stats.size > BigInt(maxBytes)) throw new FileError('too_large')
}

/** Reads to the end, however long the file has become since its size was looked at. */
async function readWithin(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let total = 0
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(maxBytes + 1 - total, chunkBytes)))
    if (bytesRead === 0) return Buffer.concat(chunks, total)
    total += bytesRead
    if (total > maxBytes) throw new FileError('too_large')
    chunks.push(buffer.subarray(0, bytesRead))
  }
}

const chunkBytes = 65_536

/** The system's own error names the path; what is kept of it is its code. */
export function withoutPath(code: string | undefined): Error {
  return new Error(code ?? 'unknown')
}
