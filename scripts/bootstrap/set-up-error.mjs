/** Failures of the set-up that a person can act on. */

/** What went wrong and what to do about it: printed alone, without a stack. */
export class SetUpError extends Error {
  /** @override */
  name = 'SetUpError'
}

/** The set-up was stopped by a signal. */
export class InterruptedError extends Error {
  /** @override */
  name = 'InterruptedError'
}

const reasons = /** @type {const} */ ([
  [/spawn npx ENOENT/, 'npx is not on the PATH: it comes with Node.js, beside npm.'],
  [/ENOSPC|no space left on device/i, 'The disk is full: free some space.'],
  [
    /EROFS|read-only file system/i,
    'The clone lies on a read-only file system: copy it to a place that can be written.',
  ],
  [/EACCES|EPERM|permission denied/i, "A file or folder may not be written: check the owner of the clone's folder."],
  [/ERR_PNPM_OUTDATED_LOCKFILE/, 'pnpm-lock.yaml does not fit a package.json: run `npx -y pnpm@10.34.9 install`.'],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|TIMEOUT|ERR_PNPM_META_FETCH_FAIL/,
    'The package registry could not be reached: the first run, and one after a change of dependencies, needs the network.',
  ],
])

/**
 * Names the likely cause that a failure's text gives away.
 *
 * @param {string} text
 * @returns {string | undefined}
 */
export function likelyCause(text) {
  return reasons.find(([pattern]) => pattern.test(text))?.[1]
}
