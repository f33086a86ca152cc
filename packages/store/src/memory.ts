export type { MemoryStoreOptions } from './memory/memory-store.ts'
export { memoryStore } from './memory/memory-store.ts'
