export type { SqliteStoreOptions } from './sqlite/sqlite-store.ts'
export { sqliteStore } from './sqlite/sqlite-store.ts'
