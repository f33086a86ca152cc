import { RunnerError } from '../../contract/runner.ts'

/** The part of `@lydell/node-pty` that is used. */
export type PtyPackage = typeof import('@lydell/node-pty')

/**
 * Loads the optional package, at the first use.
 *
 * @throws RunnerError `pty_unavailable` when it is not installed, or not for this system.
 */
export async function loadPty(): Promise<PtyPackage> {
  try {
    const loaded: PtyPackage & { default?: PtyPackage } = await import('@lydell/node-pty')
    return loaded.default ?? loaded
  } catch (cause) {
    throw new RunnerError('pty_unavailable', { cause })
  }
}
