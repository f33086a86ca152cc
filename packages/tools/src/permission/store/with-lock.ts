import lockfile from 'proper-lockfile'
import { FileError } from '../errors.ts'
import { withoutPath } from './read-secure.ts'

const retries = { retries: 400, factor: 1.2, minTimeout: 2, maxTimeout: 50, randomize: true }
const staleMs = 5_000

/** Tells whether the lock is still ours; it is not any more after this process stood still for too long. */
export interface HeldLock {
  isHeld(): boolean
}

/**
 * Runs with the lock of a file, across processes: a folder `<path>.lock`. One that its process left behind counts for five
 * seconds. Waits about twenty seconds at most.
 *
 * @throws FileError `lock`
 */
export async function withLock<T>(path: string, use: (lock: HeldLock) => Promise<T>): Promise<T> {
  let held = true
  const onCompromised = (): void => {
    held = false
  }
  let release: () => Promise<void>
  try {
    release = await lockfile.lock(path, { realpath: false, stale: staleMs, retries, onCompromised })
  } catch (error) {
    throw new FileError('lock', { cause: withoutPath((error as NodeJS.ErrnoException).code) }) // proved: it throws such
  }
  try {
    return await use({ isHeld: () => held })
  } finally {
    // A lock that was taken over is not ours to release.
    if (held) await release().catch(() => {})
  }
}
