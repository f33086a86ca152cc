/** Files that only their owner may read. */
import { closeSync, openSync } from 'node:fs'

/**
 * Makes an empty file with mode 0600 unless something has that name. A file that exists is not opened: to close it
 * again would drop every lock that this process holds on it.
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}
