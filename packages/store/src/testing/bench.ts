/** What one case of the contract works with: a fresh store, a clock, and short ways to say what it does. */
import assert from 'node:assert/strict'

import { StoreError, type StoreErrorCode } from '../contract/errors.ts'
import type { Lease } from '../contract/lease.ts'
import type { AppendOutcome, AppendRequest, LedgerSession, NewRecord, StoredRecord } from '../contract/ledger.ts'
import type { Store } from '../contract/store.ts'
import { newRecord } from './new-record.ts'

/** A store that was opened for one case, on data that no other case sees. */
export interface OpenedStore {
  readonly store: Store
  /** Opens another store on the same data; absent when the data dies with its store. The suite closes it. */
  readonly reopen?: (() => Store | Promise<Store>) | undefined
  /** Called at the end, after every store is closed. */
  readonly cleanUp?: (() => void | Promise<void>) | undefined
}

/** What an append may give beside its records. */
export type AppendExtras = Pick<AppendRequest, 'head' | 'wakeAt' | 'seen'>

/** One store of one case. */
export class Bench {
  readonly store: Store
  readonly #reopen: OpenedStore['reopen']
  readonly #others: Store[] = []

  constructor(opened: OpenedStore) {
    this.store = opened.store
    this.#reopen = opened.reopen
  }

  /** Another store on the same data. */
  async reopen(): Promise<Store> {
    assert.ok(this.#reopen, 'the store cannot be opened twice')
    const store = await this.#reopen()
    this.#others.push(store)
    return store
  }

  async close(): Promise<void> {
    for (const store of [this.store, ...this.#others]) await store.close()
  }

  /** Appends under the lease and gives the outcome. */
  append(lease: Lease, records: readonly NewRecord[], head?: string): Promise<AppendOutcome> {
    return this.store.ledger.append({ session: lease.session, epoch: lease.epoch, records, head })
  }

  /** Appends, expects `ok` and gives the committed records. */
  async committed(lease: Lease, records: readonly NewRecord[], head?: string): Promise<readonly StoredRecord[]> {
    const answer = await this.append(lease, records, head)
    assert.ok(answer.outcome === 'ok', `the outcome is ${answer.outcome}, not ok`)
    return answer.records
  }

  /** Appends under the lease with more than records and gives the outcome. */
  appendWith(lease: Lease, extras: AppendExtras, ...ids: readonly string[]): Promise<AppendOutcome> {
    const { session, epoch } = lease
    return this.store.ledger.append({ session, epoch, records: ids.map((id) => newRecord(id)), ...extras })
  }

  /** Appends to a session without an epoch and gives the outcome. */
  appendOutside(session: string, records: readonly NewRecord[], extras: AppendExtras = {}): Promise<AppendOutcome> {
    return this.store.ledger.append({ session, records, ...extras })
  }

  /** Takes the session's lease and appends the record "begun". */
  async begin(session: string): Promise<Lease> {
    const lease = await this.store.leases.acquire(session)
    await this.committed(lease, [newRecord('begun')])
    return lease
  }

  /** A session's entry, which must be there. */
  async entry(session: string): Promise<LedgerSession> {
    const entry = await this.store.ledger.find(session)
    assert.ok(entry, 'the session is not there')
    return entry
  }

  /** Every record of a session, page by page. */
  async records(session: string, limit = 1_000): Promise<readonly StoredRecord[]> {
    const all: StoredRecord[] = []
    for (;;) {
      const page = await this.store.ledger.read({ session, after: all.length, limit })
      if (page.length === 0) return all
      all.push(...page)
    }
  }
}

/** Expects a `StoreError` with this code and, when given, this field. */
export async function refuses(promise: Promise<unknown>, code: StoreErrorCode, field?: string): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof StoreError, 'what is thrown is not a StoreError')
    assert.equal(error.code, code)
    if (field !== undefined) assert.equal(error.field, field)
    return true
  })
}
