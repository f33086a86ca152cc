/** What the ledger and the leases of one SQLite store share. */
import type { Database } from './database.ts'
import type { Writer } from './writer.ts'

/** One opened file. */
export interface OpenFile {
  readonly database: Database
  readonly writer: Writer
  readonly busyTimeoutMs: number
  /** The store's clock, in whole milliseconds. */
  readonly now: () => number
  /** @throws StoreError `closed`. */
  readonly ensureOpen: () => void
}
