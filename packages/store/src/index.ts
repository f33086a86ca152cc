export type { StoreErrorCode, StoreErrorOptions } from './contract/errors.ts'
export { StoreError } from './contract/errors.ts'
export type { Lease, Leases } from './contract/lease.ts'
export type {
  AppendOutcome,
  AppendRequest,
  Ledger,
  LedgerSession,
  NewRecord,
  ReadRequest,
  StoredRecord,
  WatchRequest,
} from './contract/ledger.ts'
export { maxBodyBytes, maxGroupRecords } from './contract/ledger.ts'
export type { Store } from './contract/store.ts'
export { digestRecord } from './request/digested-record.ts'
