export type { OpenedStore } from './testing/bench.ts'
export { newRecord } from './testing/new-record.ts'
export type { StoreContractRunner, StoreContractSubject } from './testing/store-contract.ts'
export { runStoreContract } from './testing/store-contract.ts'
