/** Changes a SQLite store behind its back. */
import { createRequire } from 'node:module'
import { join } from 'node:path'

interface Connection {
  prepare(sql: string): { run(...parameters: readonly string[]): void }
  close(): void
}

// the driver belongs to the store; nobody else imports it
const ofStore = createRequire(new URL('../../../store/src/sqlite.ts', import.meta.url))
const Database: new (path: string) => Connection = ofStore('libsql')

/** Runs one statement on the store of a folder. */
export function damageRecord(folder: string, sql: string, session: string): void {
  const connection = new Database(join(folder, 'sessions.db'))
  connection.prepare(sql).run(session)
  connection.close()
}
