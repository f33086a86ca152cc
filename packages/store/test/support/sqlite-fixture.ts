/** SQLite stores of one test, which are closed and removed after it. */
import { onTestFinished } from 'vitest'

import type { Lease, Store } from '../../src/index.ts'
import type { SqliteConnection } from '../../src/sqlite/driver.ts'
import { openLibsql } from '../../src/sqlite/libsql-driver.ts'
import { openSqliteStore, type SqliteStoreOptions } from '../../src/sqlite/sqlite-store.ts'
import type { StartTicker } from '../../src/sqlite/ticker.ts'
import { newRecord } from '../../src/testing.ts'
import { tempFolder } from './temp-folder.ts'

/** A path for a store in a folder of its own. */
export function storePath(): string {
  const folder = tempFolder()
  onTestFinished(() => folder[Symbol.dispose]())
  return folder.file('sessions.db')
}

export function openStore(
  path: string,
  options: Partial<SqliteStoreOptions> = {},
  open = openLibsql,
  startTicker?: StartTicker,
): Store {
  const store = openSqliteStore({ path, ...options }, open, startTicker)
  onTestFinished(() => store.close())
  return store
}

/** A connection past the store, to look at its file or to damage it. */
export function openBeside(path: string): SqliteConnection {
  const connection = openLibsql(path)
  onTestFinished(() => connection.close())
  return connection
}

/** Appends one record per id as one group. */
export function appendIds(store: Store, lease: Lease, ...ids: readonly string[]) {
  const { session, epoch } = lease
  return store.ledger.append({ session, epoch, records: ids.map((id) => newRecord(id)) })
}

/** The ids of a session's first records. */
export async function idsOf(store: Store, session = 'a'): Promise<readonly string[]> {
  return (await store.ledger.read({ session, after: 0, limit: 1_000 })).map((record) => record.id)
}
