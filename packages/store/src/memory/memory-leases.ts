/** The leases of a memory store: they hold inside the process. */
import { StoreError } from '../contract/errors.ts'
import type { Lease, Leases } from '../contract/lease.ts'
import { checkSession } from '../request/session-name.ts'
import { type MemorySession, newMemorySession } from './memory-session.ts'

/** Hands out leases of a map of sessions; `ensureOpen` throws once the store is closed. */
export class MemoryLeases implements Leases {
  readonly #sessions: Map<string, MemorySession>
  readonly #clock: () => number
  readonly #ensureOpen: () => void

  constructor(sessions: Map<string, MemorySession>, clock: () => number, ensureOpen: () => void) {
    this.#sessions = sessions
    this.#clock = clock
    this.#ensureOpen = ensureOpen
  }

  async acquire(name: string): Promise<Lease> {
    this.#ensureOpen()
    const session = this.#sessions.get(checkSession(name)) ?? newMemorySession(Math.trunc(this.#clock()))
    if (session.held) throw new StoreError('lease_held', 'a live owner holds the session', { session: name })
    this.#sessions.set(name, session)
    session.held = true
    session.epoch += 1
    return memoryLease(name, session)
  }

  async isHeld(name: string): Promise<boolean> {
    this.#ensureOpen()
    return this.#sessions.get(checkSession(name))?.held ?? false
  }
}

function memoryLease(name: string, session: MemorySession): Lease {
  let released = false
  return {
    session: name,
    epoch: session.epoch,
    lost: new AbortController().signal,
    async release() {
      if (released) return
      released = true
      session.held = false
    },
  }
}
