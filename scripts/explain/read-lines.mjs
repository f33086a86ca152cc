/** Reads command lines from a file of JSON lines. */

import { UsageError } from '../wire/usage-error.mjs'
import { readShell } from './read-shell.mjs'
import { readText } from './read-text.mjs'

/**
 * A command line to judge.
 *
 * @typedef {object} CommandLine
 * @property {unknown} [id] passed through.
 * @property {string} line
 * @property {'sh' | 'bash'} [shell]
 */

/**
 * Reads all lines before anything is judged, so that a bad one stops the whole command.
 *
 * @param {string} file
 * @param {string} folder what a relative path starts from.
 * @returns {Promise<CommandLine[]>}
 * @throws {UsageError}
 */
export async function readLines(file, folder) {
  const text = await readText(file, folder)
  return text.split('\n').flatMap((json, index) => (json.trim() === '' ? [] : [readLine(json, `${file}:${index + 1}`)]))
}

/**
 * @param {string} json
 * @param {string} where
 * @returns {CommandLine}
 */
function readLine(json, where) {
  /** @type {unknown} */
  let value
  try {
    value = JSON.parse(json)
  } catch {
    throw new UsageError(`${where}: is not JSON`)
  }
  if (typeof value !== 'object' || value === null) throw new UsageError(`${where}: is no object`)
  const { id, line, shell } = /** @type {{id?: unknown, line?: unknown, shell?: unknown}} */ (value)
  if (typeof line !== 'string') throw new UsageError(`${where}: "line" must be a text`)
  const known = readShell(shell, `${where}: "shell"`)
  return { ...(id === undefined ? {} : { id }), line, ...(known === undefined ? {} : { shell: known }) }
}
