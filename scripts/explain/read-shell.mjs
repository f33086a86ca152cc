/** Reads the name of a shell. */
import { UsageError } from '../wire/usage-error.mjs'

/**
 * Reads the name of a shell.
 *
 * @param {unknown} shell
 * @param {string} where
 * @returns {'sh' | 'bash' | undefined}
 * @throws {UsageError}
 */
export function readShell(shell, where) {
  if (shell === undefined || shell === 'sh' || shell === 'bash') return shell
  throw new UsageError(`${where} must be sh or bash`)
}
