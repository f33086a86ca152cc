/** The one connection of a store, with settings that are checked, replaced after a commit of unknown fate. */
import { StoreError } from '../contract/errors.ts'
import { type OpenConnection, resultCodes, type SqliteConnection, SqliteFailure } from './driver.ts'
import { integerOf, textOf } from './row.ts'
import { identifyFile, migrateFile } from './schema.ts'

/** Owns the connection. Every method may throw `SqliteFailure` or `StoreError`. */
export class Database {
  readonly #path: string
  readonly #open: OpenConnection
  #connection: SqliteConnection | undefined
  #inDoubt = false

  constructor(path: string, open: OpenConnection) {
    this.#path = path
    this.#open = open
  }

  /** True from a commit of unknown fate until a new connection has made its fate definite. */
  get inDoubt(): boolean {
    return this.#inDoubt
  }

  /** The connection, opened when there is none. */
  use(): SqliteConnection {
    this.#connection ??= openStoreFile(this.#path, this.#open)
    if (this.#inDoubt) {
      emptyLog(this.#connection)
      this.#inDoubt = false
    }
    return this.#connection
  }

  /** Gives up a connection whose commit failed. */
  doubt(): void {
    this.#inDoubt = true
    this.close()
  }

  /** Ends a transaction before its commit. */
  rollBack(): void {
    try {
      if (this.#connection?.inTransaction) this.#connection.exec('ROLLBACK')
    } catch {
      this.close()
    }
  }

  /** Closes the connection; `use` would open it again. */
  close(): void {
    const connection = this.#connection
    this.#connection = undefined
    if (connection !== undefined) abandon(connection)
  }
}

function openStoreFile(path: string, open: OpenConnection): SqliteConnection {
  const connection = open(path)
  try {
    // In one transaction, or a store that another process makes just now looks like a database of another kind.
    connection.exec('BEGIN')
    identifyFile(connection)
    connection.exec('COMMIT')
    configure(connection)
    migrateFile(connection)
    return connection
  } catch (error) {
    abandon(connection)
    throw error
  }
}

/** A second connection does not take over the first one's settings: each one sets them and reads them back. */
function configure(connection: SqliteConnection): void {
  connection.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
  `)
  const mode = textOf(connection.all('PRAGMA journal_mode')[0]?.[0])
  const synchronous = integerOf(connection.all('PRAGMA synchronous')[0]?.[0])
  const fullSync = integerOf(connection.all('PRAGMA fullfsync')[0]?.[0])
  if (mode === 'wal' && synchronous === 2 && fullSync === 1) return
  throw new StoreError('unreadable', 'the file cannot be opened with a synchronous write-ahead log')
}

/**
 * Moves the log into the file and empties it. After a failed sync the log may hold a group that was never acknowledged
 * and that a later recovery would bring back; with an empty log the group is in the file or nowhere.
 */
function emptyLog(connection: SqliteConnection): void {
  const blocked = integerOf(connection.all('PRAGMA wal_checkpoint(TRUNCATE)')[0]?.[0])
  if (blocked !== 0) throw new SqliteFailure(resultCodes.busy, 'the log is in use')
}

function abandon(connection: SqliteConnection): void {
  try {
    if (connection.inTransaction) connection.exec('ROLLBACK')
    connection.close()
  } catch {
    // There is nothing left to do with it, and what led here is the failure to report.
  }
}
