/** The registry symbol that marks every Looprig error; the store depends on no other package. */
const brand: unique symbol = Symbol.for('@looprig/error')

/**
 * Why the store refused; nothing was written.
 *
 * - `lease_held`: a live owner holds the session (field `session`).
 * - `invalid`: the request breaks the contract; `field` names where, such as `records[2].id`.
 * - `too_large`: a body, head or group past its cap.
 * - `busy`: other writers kept the store busy for longer than it waits. Retryable.
 * - `full`: no space left, or a quota.
 * - `read_only`: the file or folder cannot be written.
 * - `unreadable`: the file or folder cannot be opened or is not a store.
 * - `corrupt`: a record is gone, or its digest does not fit its body; `seq` names it. Without `seq`: the file is damaged.
 * - `closed`: the store was closed.
 * - `io`: another input or output error.
 */
export type StoreErrorCode =
  | 'lease_held'
  | 'invalid'
  | 'too_large'
  | 'busy'
  | 'full'
  | 'read_only'
  | 'unreadable'
  | 'corrupt'
  | 'closed'
  | 'io'

/** What a `StoreError` may carry besides its code. */
export interface StoreErrorOptions extends ErrorOptions {
  readonly session?: string | undefined
  readonly field?: string | undefined
  readonly seq?: number | undefined
}

/** A definite refusal of a store. Its message holds no path and no record content. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode
  readonly session: string | undefined
  readonly field: string | undefined
  readonly seq: number | undefined

  constructor(code: StoreErrorCode, message: string, options: StoreErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.session = options.session
    this.field = options.field
    this.seq = options.seq
  }

  get [brand](): true {
    return true
  }
}

/** What every call after the close of a store throws. */
export function storeClosed(): StoreError {
  return new StoreError('closed', 'the store is closed')
}
