/** Reads the files that a person names. */
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { UsageError } from '../wire/usage-error.mjs'

const maxBytes = 256 * 1024 * 1024

/**
 * Reads a file as text.
 *
 * @param {string} file
 * @param {string} folder what a relative path starts from.
 * @throws {UsageError}
 */
export async function readText(file, folder) {
  const path = resolve(folder, file)
  try {
    const stats = await stat(path)
    if (!stats.isFile()) throw new UsageError(`${file}: is no file`)
    if (stats.size > maxBytes) throw new UsageError(`${file}: has more than ${maxBytes} bytes`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code } = /** @type {NodeJS.ErrnoException} */ (error)
    throw new UsageError(`${file}: cannot be read (${code ?? 'unknown error'})`)
  }
}
