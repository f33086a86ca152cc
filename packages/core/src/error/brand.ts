/** The registry symbol that marks every error of every Looprig package, so that two copies of a package agree. */
const brand: unique symbol = Symbol.for('@looprig/error')

/**
 * The base of every Looprig error. Its `code` is one of a closed set of its class, stable across versions.
 *
 * Messages name the field at fault and never hold a secret, file content, a full URL or a host path.
 */
export abstract class LooprigError extends Error {
  /** What went wrong, in snake_case; each class closes the set. */
  abstract readonly code: string

  get [brand](): true {
    return true
  }
}

/** Says whether a thrown value is a Looprig error, also one that another copy of the package made. */
export function isLooprigError(value: unknown): value is LooprigError {
  return typeof value === 'object' && value !== null && brand in value
}
