/** The seam between the store and a SQLite library: a few synchronous calls. */

/** What a column may hold; blobs are bytes, integers are safe ones. */
export type SqlValue = string | number | null | Uint8Array

/** One row, in the order of the columns. */
export type SqlRow = readonly SqlValue[]

/** One connection to one file. Every method throws `SqliteFailure`. */
export interface SqliteConnection {
  /** Whether a transaction is open: some failures end it by themselves. */
  readonly inTransaction: boolean
  /** Runs statements without parameters and drops their rows. */
  exec(sql: string): void
  /** Runs one statement that gives no rows. */
  run(sql: string, ...parameters: readonly SqlValue[]): void
  /** Runs one statement to its end and gives all rows, so that nothing stays open. */
  all(sql: string, ...parameters: readonly SqlValue[]): readonly SqlRow[]
  /** Closes it; safe to call again. An open transaction must be ended before. */
  close(): void
}

/** Opens a file, which exists, with a busy timeout of zero: a lock of another is reported at once. */
export type OpenConnection = (path: string) => SqliteConnection

/** A failure by SQLite's own number. Its message holds no path and no content. */
export class SqliteFailure extends Error {
  override readonly name = 'SqliteFailure'
  /** The primary result code, such as 5 for SQLITE_BUSY. */
  readonly resultCode: number
  /** The extended result code, such as 261 for SQLITE_BUSY_RECOVERY. */
  readonly extendedCode: number

  constructor(extendedCode: number, message: string) {
    super(message)
    this.extendedCode = extendedCode
    this.resultCode = extendedCode & 0xff
  }
}

/** SQLite's primary result codes that the store tells apart. */
export const resultCodes = {
  error: 1,
  permission: 3,
  busy: 5,
  locked: 6,
  readOnly: 8,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  tooBig: 18,
  notADatabase: 26,
} as const

/** Says whether a failure only means that another connection is at work: nothing was done, trying again is right. */
export function isBusy(error: unknown): error is SqliteFailure {
  return (
    error instanceof SqliteFailure && (error.resultCode === resultCodes.busy || error.resultCode === resultCodes.locked)
  )
}

/** Says whether a failure means that no space was left. */
export function isFull(error: unknown): error is SqliteFailure {
  return error instanceof SqliteFailure && error.resultCode === resultCodes.full
}
