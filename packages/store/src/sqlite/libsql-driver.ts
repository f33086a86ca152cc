/** The driver on libsql: SQLite prebuilt inside npm packages. */
import Database from 'libsql'

import { type OpenConnection, resultCodes, type SqliteConnection, SqliteFailure, type SqlRow } from './driver.ts'

/** Opens a connection of libsql. */
export const openLibsql: OpenConnection = (path) => new LibsqlConnection(attempt(() => new Database(path)))

type Statement = ReturnType<typeof Database.prototype.prepare>

/**
 * Statements are kept for the life of the connection: preparing one costs more than running it. libsql frees a
 * connection only when its statements are collected, so a closed one keeps its file descriptor, but no lock, a while.
 */
class LibsqlConnection implements SqliteConnection {
  readonly #database: Database.Database
  readonly #statements = new Map<string, Statement>()

  constructor(database: Database.Database) {
    this.#database = database
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction
  }

  exec(sql: string): void {
    attempt(() => this.#database.exec(sql))
  }

  run(sql: string, ...parameters: SqlRow): void {
    attempt(() => this.#statement(sql).run([...parameters]))
  }

  all(sql: string, ...parameters: SqlRow): readonly SqlRow[] {
    // Raw rows are arrays of SQLite's five storage classes; integers are numbers unless safe integers are switched on.
    return attempt(() =>
      this.#statement(sql)
        .raw()
        .all([...parameters]),
    ) as readonly SqlRow[]
  }

  close(): void {
    this.#statements.clear()
    if (this.#database.open) attempt(() => this.#database.close())
  }

  #statement(sql: string): Statement {
    const kept = this.#statements.get(sql)
    if (kept !== undefined) return kept
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

function attempt<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw failureOf(error)
  }
}

/** An error while opening has its code only at the end of its text, behind the path. */
function failureOf(error: unknown): SqliteFailure {
  if (!(error instanceof Error)) return new SqliteFailure(resultCodes.error, 'SQLite failed')
  if ('rawCode' in error && typeof error.rawCode === 'number') return new SqliteFailure(error.rawCode, error.message)
  const opening = /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(error.message)
  if (opening !== null) return new SqliteFailure(Number(opening[1]), 'SQLite cannot open the file')
  return new SqliteFailure(resultCodes.error, 'SQLite failed')
}
