/** A store that lives as long as its process. */
import { storeClosed } from '../contract/errors.ts'
import type { Store } from '../contract/store.ts'
import { Watchers } from '../watch/watchers.ts'
import { MemoryLeases } from './memory-leases.ts'
import { MemoryLedger } from './memory-ledger.ts'
import type { MemorySession } from './memory-session.ts'

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** Milliseconds since 1970, for `at`. Default: `Date.now`. */
  readonly clock?: (() => number) | undefined
}

/** Makes an empty store in memory, with the semantics of the durable ones. `close` drops everything. */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const clock = options.clock ?? Date.now
  const sessions = new Map<string, MemorySession>()
  const watchers = new Watchers()
  let closed = false
  const ensureOpen = () => {
    if (closed) throw storeClosed()
  }
  return {
    ledger: new MemoryLedger(sessions, watchers, clock, ensureOpen),
    leases: new MemoryLeases(sessions, clock, ensureOpen),
    async close() {
      closed = true
      watchers.fail(storeClosed())
      sessions.clear()
    },
  }
}
