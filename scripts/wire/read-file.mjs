/** Reads the files that a person names. */
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'

const maxBytes = 64 * 1024 * 1024

/**
 * @typedef {object} UnreadableError the `error` of a line about a file that could not be read.
 * @property {'unreadable'} kind
 * @property {string} message
 */

/**
 * Reads a file.
 *
 * @param {string} folder what relative paths start from.
 * @param {string} file
 * @returns {Promise<{bytes: Buffer, error?: undefined} | {bytes?: undefined, error: UnreadableError}>}
 */
export async function readBytes(folder, file) {
  const path = resolve(folder, file)
  try {
    const { size } = await stat(path)
    if (size > maxBytes) return unreadable(`has more than ${maxBytes} bytes`)
    return { bytes: await readFile(path) }
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error)
    return unreadable(`cannot be read (${code ?? 'unknown error'})`)
  }
}

/**
 * @param {string} message
 * @returns {{error: UnreadableError}}
 */
function unreadable(message) {
  return { error: { kind: 'unreadable', message } }
}
