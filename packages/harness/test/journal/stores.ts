/** The stores that the durability tests run on. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionId } from '@looprig/core'
import type { Store, StoredRecord } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { sqliteStore } from '@looprig/store/sqlite'
import { afterAll } from 'vitest'

/** One kind of store; `open` makes an empty one that is gone after the tests of the file. */
export interface StoreKind {
  readonly name: string
  open(): Store
}

export const storeKinds: readonly StoreKind[] = [
  { name: 'memoryStore', open: () => memoryStore() },
  { name: 'sqliteStore', open: () => openSqlite(tempFolder()) },
]

const stores: Store[] = []
const folders: string[] = []

afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()))
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A folder that is removed after the tests of the file. */
export function tempFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'looprig-harness-'))
  folders.push(path)
  return path
}

/** Opens the store in a folder; it is closed after the tests of the file. */
export function openSqlite(folder: string): Store {
  const store = sqliteStore({ path: join(folder, 'sessions.db') })
  stores.push(store)
  return store
}

/** All records of a session. */
export async function readRecords(store: Store, session: SessionId): Promise<readonly StoredRecord[]> {
  const records: StoredRecord[] = []
  for (;;) {
    const page = await store.ledger.read({ session, after: records.length, limit: 1_000 })
    if (page.length === 0) return records
    records.push(...page)
  }
}
