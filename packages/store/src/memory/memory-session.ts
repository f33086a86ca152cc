/** One session of a memory store. */
import type { LedgerSession, StoredRecord } from '../contract/ledger.ts'

/** The state behind one session name; the ledger writes all but `epoch` and `held`, which are the leases'. */
export interface MemorySession {
  epoch: number
  held: boolean
  /** The record with seq n is at n - 1. */
  readonly records: StoredRecord[]
  readonly byId: Map<string, StoredRecord>
  at: number
  head: string
  wakeAt: number | undefined
}

/** A session that no one has leased yet. */
export function newMemorySession(at: number): MemorySession {
  return { epoch: 0, held: false, records: [], byId: new Map(), at, head: '', wakeAt: undefined }
}

/** The session's entry in a list. */
export function memoryEntry(name: string, session: MemorySession): LedgerSession {
  const { records, at, head, wakeAt } = session
  return { session: name, tip: records.length, at, head, wakeAt }
}

/** The order of a list: the last active first; among equals the greater name, which is the younger UUIDv7. */
export function latestFirst(a: LedgerSession, b: LedgerSession): number {
  if (a.at !== b.at) return b.at - a.at
  return a.session < b.session ? 1 : -1
}
