import type { Leases } from './lease.ts'
import type { Ledger } from './ledger.ts'

/** Where sessions live. Who opens a store closes it, after the sessions on it. */
export interface Store {
  readonly ledger: Ledger
  readonly leases: Leases
  /**
   * Finishes the appends that it has taken and frees what it holds, leases included; safe to call again. Later calls
   * throw `StoreError` `closed`.
   */
  close(): Promise<void>
}
