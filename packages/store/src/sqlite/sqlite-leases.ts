/** The leases of a SQLite store: a kernel lock, then the next epoch. */
import { StoreError } from '../contract/errors.ts'
import type { Lease, Leases } from '../contract/lease.ts'
import { checkSession } from '../request/session-name.ts'
import { retryBusy } from './busy-retry.ts'
import { isBusy } from './driver.ts'
import { storeErrorOf } from './failure.ts'
import type { OpenFile } from './open-file.ts'
import type { SessionLock, SessionLocks } from './session-lock.ts'
import { raiseEpoch } from './session-rows.ts'

/** A probe of `isHeld` in another process is over long before. */
const lockWaitMs = 200

/** Hands out leases; `releaseAll` frees those that are out. */
export class SqliteLeases implements Leases {
  readonly #file: OpenFile
  readonly #locks: SessionLocks
  readonly #held = new Set<SessionLock>()

  constructor(file: OpenFile, locks: SessionLocks) {
    this.#file = file
    this.#locks = locks
  }

  async acquire(session: string): Promise<Lease> {
    this.#file.ensureOpen()
    const name = checkSession(session)
    const lock = await this.#take(name)
    try {
      this.#file.ensureOpen()
      const written = await this.#file.writer.write((connection) => raiseEpoch(connection, name, this.#file.now()))
      this.#file.ensureOpen()
      if (!written.committed) throw written.cause
      return this.#lease(name, written.value, lock)
    } catch (error) {
      this.#free(lock)
      throw storeErrorOf(error, name)
    }
  }

  async isHeld(session: string): Promise<boolean> {
    this.#file.ensureOpen()
    const name = checkSession(session)
    try {
      return this.#locks.isTaken(name)
    } catch (error) {
      throw storeErrorOf(error, name)
    }
  }

  releaseAll(): void {
    for (const lock of this.#held) this.#free(lock)
  }

  async #take(session: string): Promise<SessionLock> {
    try {
      const lock = await retryBusy(() => this.#locks.take(session), performance.now() + lockWaitMs)
      this.#held.add(lock)
      return lock
    } catch (error) {
      if (isBusy(error)) throw new StoreError('lease_held', 'a live owner holds the session', { session })
      throw storeErrorOf(error, session)
    }
  }

  #lease(session: string, epoch: number, lock: SessionLock): Lease {
    const free = () => this.#free(lock)
    return {
      session,
      epoch,
      lost: new AbortController().signal,
      async release() {
        free()
      },
    }
  }

  #free(lock: SessionLock): void {
    if (this.#held.delete(lock)) lock.free()
  }
}
