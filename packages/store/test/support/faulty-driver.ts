/** The real driver, with faults where a test wants them. */
import { type OpenConnection, type SqliteConnection, SqliteFailure, type SqlRow } from '../../src/sqlite/driver.ts'
import { openLibsql } from '../../src/sqlite/libsql-driver.ts'

/** What goes wrong; a test changes it while the store is in use. */
export interface Faults {
  /** Called before each statement; may throw. */
  before?: ((sql: string, parameters: SqlRow) => void) | undefined
  /** Called after each statement took effect; may throw. */
  after?: ((sql: string) => void) | undefined
  /** Run on each new connection. */
  setup?: string | undefined
  /** How many connections were opened. */
  opened: number
}

export function faultyDriver(faults: Faults): OpenConnection {
  return (path) => {
    faults.opened += 1
    const real = openLibsql(path)
    if (faults.setup !== undefined) real.exec(faults.setup)
    const around = <T>(sql: string, parameters: SqlRow, work: () => T): T => {
      faults.before?.(sql, parameters)
      const value = work()
      faults.after?.(sql)
      return value
    }
    const faulty: SqliteConnection = {
      get inTransaction() {
        return real.inTransaction
      },
      exec: (sql) => around(sql, [], () => real.exec(sql)),
      run: (sql, ...parameters) => around(sql, parameters, () => real.run(sql, ...parameters)),
      all: (sql, ...parameters) => around(sql, parameters, () => real.all(sql, ...parameters)),
      close: () => real.close(),
    }
    return faulty
  }
}

/** Throws `SQLITE_IOERR_FSYNC` for statements that begin so. */
export function failOn(beginning: string): (sql: string) => void {
  return (sql) => {
    if (sql.startsWith(beginning)) throw new SqliteFailure(1034, 'disk I/O error')
  }
}
