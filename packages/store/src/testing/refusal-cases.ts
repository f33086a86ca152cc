/** Bad requests and closed stores: a definite refusal that names the field, and nothing written. */
import assert from 'node:assert/strict'

import { maxBodyBytes, maxGroupRecords, type NewRecord, type WatchRequest } from '../contract/ledger.ts'
import type { Store } from '../contract/store.ts'
import { refuses } from './bench.ts'
import type { AddCase } from './case.ts'
import { newRecord } from './new-record.ts'
import { tipsOf } from './tips.ts'

const badNames = ['', '-a', 'A', 'a/b', '..', 'a.b', 'a b', 'a\0', 'x'.repeat(65)]

export function addRefusalCases(add: AddCase): void {
  const addGroup = (what: string, records: readonly NewRecord[], field: string) =>
    add(`refuses ${what}`, async (bench) => {
      const lease = await bench.store.leases.acquire('a')

      await refuses(bench.append(lease, records), 'invalid', field)

      assert.equal((await bench.store.ledger.find('a'))?.tip, 0)
    })
  const ok = newRecord('ok')
  // What no type admits may still come from outside.
  const untyped = (change: object) => ({ ...ok, ...change }) as NewRecord

  addGroup('an empty group', [], 'records')
  addGroup('an id twice in a group', [ok, newRecord('ok', '"other"')], 'records[1].id')
  addGroup('a hole in a group', [ok, ...new Array<NewRecord>(1), newRecord('last')], 'records[1]')
  addGroup('an empty id', [newRecord('')], 'records[0].id')
  addGroup('an id of 257 bytes', [newRecord(`x${'\u20ac'.repeat(85)}x`)], 'records[0].id')
  addGroup('half of a surrogate pair in an id', [newRecord('\ud83d')], 'records[0].id')
  addGroup('half of a surrogate pair in a body', [ok, newRecord('x', '\ud83d')], 'records[1].body')
  addGroup('a kind that is none', [untyped({ kind: 'fence' })], 'records[0].kind')
  addGroup('a body that is no text', [untyped({ body: 1 })], 'records[0].body')
  addGroup('the digest of another body', [untyped({ body: '"other"' })], 'records[0].digest')
  addGroup('a digest in capitals', [untyped({ digest: ok.digest.toUpperCase() })], 'records[0].digest')

  add('refuses a body over 16 MiB', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    const large = newRecord('large', 'x'.repeat(maxBodyBytes + 1))

    await refuses(bench.append(lease, [ok, large]), 'too_large', 'records[1].body')

    assert.equal((await bench.store.ledger.find('a'))?.tip, 0)
  })

  add('takes 1,000 records and refuses 1,001', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    const group = Array.from({ length: maxGroupRecords + 1 }, (_, index) => newRecord(`id-${index}`))

    await refuses(bench.append(lease, group), 'too_large', 'records')
    await bench.committed(lease, group.slice(1))

    assert.equal((await bench.store.ledger.find('a'))?.tip, maxGroupRecords)
  })

  add('takes a body of 16 MiB', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    const body = '\u20ac'.repeat(maxBodyBytes / 3) + 'x'.repeat(maxBodyBytes % 3)

    await bench.committed(lease, [newRecord('large', body)])

    assert.ok((await bench.records('a'))[0]?.body === body, 'the body is another')
  })

  add('takes a head of 16 KiB and refuses a longer one', async (bench) => {
    const lease = await bench.store.leases.acquire('a')

    await refuses(bench.append(lease, [ok], '\u20ac'.repeat(5_462)), 'too_large', 'head')
    await bench.committed(lease, [ok], 'x'.repeat(16_384))

    assert.equal((await bench.store.ledger.find('a'))?.head.length, 16_384)
  })

  add('refuses an epoch that is no whole number', async (bench) => {
    const lease = await bench.store.leases.acquire('a')

    for (const epoch of [1.5, -1, Number.NaN])
      await refuses(bench.append({ ...lease, epoch }, [ok]), 'invalid', 'epoch')
  })

  add('refuses names that are not safe as a file name', async ({ store }) => {
    for (const session of badNames) {
      await refuses(store.leases.acquire(session), 'invalid', 'session')
      await refuses(store.leases.isHeld(session), 'invalid', 'session')
      await refuses(store.ledger.find(session), 'invalid', 'session')
      await refuses(store.ledger.read({ session, after: 0, limit: 1 }), 'invalid', 'session')
      await refuses(store.ledger.append({ session, epoch: 1, records: [ok] }), 'invalid', 'session')
      await refuses(watching(store, { session, after: 0 }), 'invalid', 'session')
    }
  })

  add('refuses pages of no size and pages from nowhere', async ({ store }) => {
    for (const limit of [0, -1, 1.5, 1_001]) {
      await refuses(store.ledger.read({ session: 'a', after: 0, limit }), 'invalid', 'limit')
    }
    for (const after of [-1, 0.5, Number.NaN]) {
      await refuses(store.ledger.read({ session: 'a', after, limit: 1 }), 'invalid', 'after')
      await refuses(watching(store, { session: 'a', after }), 'invalid', 'after')
    }
  })

  add('refuses every call after close, and closes again', async ({ store }) => {
    await store.close()

    await store.close()
    await refuses(store.ledger.append({ session: 'a', epoch: 1, records: [ok] }), 'closed')
    await refuses(store.ledger.read({ session: 'a', after: 0, limit: 1 }), 'closed')
    await refuses(store.ledger.find('a'), 'closed')
    await refuses(store.ledger.list(), 'closed')
    await refuses(store.ledger.now(), 'closed')
    await refuses(watching(store, { session: 'a', after: 0 }), 'closed')
    await refuses(store.leases.acquire('a'), 'closed')
    await refuses(store.leases.isHeld('a'), 'closed')
  })

  add('finishes the appends that it has taken before it closes', async (bench) => {
    const lease = await bench.store.leases.acquire('a')

    const appending = bench.append(lease, [ok])
    await bench.store.close()

    assert.equal((await appending).outcome, 'ok')
  })

  add('lets a lease be released after close', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    await bench.store.close()

    await lease.release()
  })
}

/** A store may refuse a watch when it is made or when it is first asked. */
async function watching(store: Store, request: WatchRequest): Promise<number | undefined> {
  return tipsOf(store, request).next()
}
