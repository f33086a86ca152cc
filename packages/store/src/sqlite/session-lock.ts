/**
 * A kernel lock on a side file per session: an empty database file inside a transaction that is never committed. It
 * holds while its process lives, also while that is stopped, and is gone the moment the process is.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isBusy, type OpenConnection, type SqliteConnection } from './driver.ts'
import { createPrivateFile } from './private-file.ts'

/** A lock that is held until `free`. */
export interface SessionLock {
  free(): void
}

/** The lock files of one store. They are never removed: to remove one while another waits for it makes two owners. */
export class SessionLocks {
  readonly #folder: string
  readonly #open: OpenConnection

  constructor(folder: string, open: OpenConnection) {
    this.#folder = folder
    this.#open = open
  }

  /** @throws SqliteFailure busy while another has it, in this process or in another. */
  take(session: string): SessionLock {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const path = this.#path(session)
    createPrivateFile(path)
    const connection = this.#open(path)
    try {
      connection.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE')
    } catch (error) {
      connection.close()
      throw error
    }
    return { free: () => freeLock(connection) }
  }

  /** Looks with a shared lock for a moment, which an owner's lock does not admit. */
  isTaken(session: string): boolean {
    const path = this.#path(session)
    if (!existsSync(path)) return false
    const connection = this.#open(path)
    try {
      connection.exec('SELECT count(*) FROM sqlite_schema')
      return false
    } catch (error) {
      if (isBusy(error)) return true
      throw error
    } finally {
      connection.close()
    }
  }

  /** The ending keeps the file of a session "a-journal" apart from the journal that SQLite looks for beside "a". */
  #path(session: string): string {
    return join(this.#folder, `${session}.lock`)
  }
}

function freeLock(connection: SqliteConnection): void {
  if (connection.inTransaction) connection.exec('ROLLBACK')
  connection.close()
}
