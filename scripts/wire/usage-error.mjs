/** A command was called in a way that it cannot follow: printed alone, exit code 2. */
export class UsageError extends Error {
  /** @override */
  name = 'UsageError'
}
