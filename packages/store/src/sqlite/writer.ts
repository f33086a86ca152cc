/** The queue of writes: all that wait are committed in one transaction, with one sync to disk. */
import type { StoreError } from '../contract/errors.ts'
import { retryBusy } from './busy-retry.ts'
import type { Database } from './database.ts'
import { isBusy, isFull, type SqliteConnection } from './driver.ts'
import { storeErrorOf } from './failure.ts'

/** A write that is durable, or one whose commit failed: it may be there, or may not. */
export type Written<T> =
  | { readonly committed: true; readonly value: T }
  | { readonly committed: false; readonly cause: StoreError }

interface Job {
  readonly deadline: number
  /** Does the work inside a transaction and gives what to call once that is durable. May be called again. */
  prepare(connection: SqliteConnection): () => void
  doubt(cause: StoreError): void
  reject(error: StoreError): void
}

const maxBatch = 64

/** Writes in the order of the calls. A busy store is waited for in `busyTimeoutMs`, twice that behind other writes. */
export class Writer {
  readonly #database: Database
  readonly #busyTimeoutMs: number
  readonly #queue: Job[] = []
  #draining: Promise<void> | undefined

  constructor(database: Database, busyTimeoutMs: number) {
    this.#database = database
    this.#busyTimeoutMs = busyTimeoutMs
  }

  /**
   * Runs `work` inside a transaction, maybe more than once; it touches nothing but the connection.
   *
   * @throws StoreError when it is definite that nothing was written.
   */
  write<T>(work: (connection: SqliteConnection) => T): Promise<Written<T>> {
    return new Promise((resolve, reject) => {
      this.#queue.push({
        deadline: performance.now() + this.#busyTimeoutMs,
        prepare: (connection) => {
          const value = work(connection)
          return () => resolve({ committed: true, value })
        },
        doubt: (cause) => resolve({ committed: false, cause }),
        reject,
      })
      this.#draining ??= this.#drain()
    })
  }

  /** Settles when no write waits. */
  async drained(): Promise<void> {
    await this.#draining
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      // One turn of the event loop, so that writes of other sessions that are due now join the transaction.
      await new Promise(setImmediate)
      await this.#commit(this.#queue.splice(0, maxBatch))
    }
    this.#draining = undefined
  }

  async #commit(batch: readonly Job[]): Promise<void> {
    const deadline = Math.max(...batch.map((job) => job.deadline))
    try {
      const settle = await retryBusy(() => this.#transact(batch), deadline)
      for (const done of settle) done()
    } catch (error) {
      await this.#fail(batch, error)
    }
  }

  #transact(batch: readonly Job[]): readonly (() => void)[] {
    const connection = this.#database.use()
    connection.exec('BEGIN IMMEDIATE')
    try {
      const settle = batch.map((job) => job.prepare(connection))
      commit(connection)
      return settle
    } catch (error) {
      if (error instanceof CommitFailure) this.#database.doubt()
      else this.#database.rollBack()
      throw error
    }
  }

  /** One job's failure is not the others': each of a failed batch is tried by itself. */
  async #fail(batch: readonly Job[], error: unknown): Promise<void> {
    if (this.#database.inDoubt) {
      const cause = storeErrorOf(error instanceof CommitFailure ? error.cause : error)
      for (const job of batch) job.doubt(cause)
      return
    }
    const [job, ...others] = batch
    if (job !== undefined && others.length === 0) return job.reject(storeErrorOf(error))
    for (const each of batch) await this.#commit([each])
  }
}

/** A commit whose fate is unknown. */
class CommitFailure extends Error {}

/**
 * Two failures are definite: when it is busy, nothing was written; when no space was left, the last frame of the group,
 * which alone makes it count, is not whole in the log. Any other may have happened after that, as a failed sync does.
 */
function commit(connection: SqliteConnection): void {
  try {
    connection.exec('COMMIT')
  } catch (error) {
    if (isBusy(error) || isFull(error)) throw error
    throw new CommitFailure('the commit failed', { cause: error })
  }
}
