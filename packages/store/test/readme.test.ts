import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

import type { Lease, NewRecord, Store, StoredRecord, StoreErrorCode } from '../src/index.ts'
import { sqliteStore } from '../src/sqlite.ts'
import { newRecord } from '../src/testing.ts'
import { appendIds, idsOf, openStore, storePath } from './support/sqlite-fixture.ts'

// The usage of the README begins here.
function order(id: string, body: string): NewRecord {
  return { id, kind: 'event', body, digest: createHash('sha256').update(body).digest('hex') }
}

export async function takeOrders(path: string): Promise<readonly string[]> {
  const store = sqliteStore({ path })
  try {
    const lease = await store.leases.acquire('shop')
    const group = [order('order/1', '{"tea":2}'), order('order/1/paid', '{"cents":700}')]
    const request = { session: lease.session, epoch: lease.epoch, records: group, head: 'one order' }

    let answer = await store.ledger.append(request)
    if (answer.outcome === 'unknown') answer = await store.ledger.append(request)
    if (answer.outcome !== 'ok') throw new Error(`not written: ${answer.outcome}`)

    const page = await store.ledger.read({ session: 'shop', after: 0, limit: 100 })
    await lease.release()
    return page.map((record) => `${record.seq} ${record.id}`)
  } finally {
    await store.close()
  }
}
// It ends here.

// The watch of the README begins here.
export async function serve(store: Store, lease: Lease, signal: AbortSignal, end: (input: StoredRecord) => NewRecord) {
  const { session, epoch } = lease
  let after = 0
  for await (const tip of store.ledger.watch({ session, after, signal })) {
    while (after < tip) {
      for (const record of await store.ledger.read({ session, after, limit: 100 })) {
        after = record.seq
        if (record.kind !== 'input') continue
        await store.ledger.append({ session, epoch, records: [end(record)], wakeAt: null, seen: after })
      }
    }
  }
}
// It ends here.

const errorCodes: Readonly<Record<StoreErrorCode, true>> = {
  lease_held: true,
  invalid: true,
  too_large: true,
  busy: true,
  full: true,
  read_only: true,
  unreadable: true,
  corrupt: true,
  closed: true,
  io: true,
}

describe('README', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

  it('shows a usage that works, twice on the same file', async () => {
    const path = storePath()

    await takeOrders(path)

    expect(await takeOrders(path)).toEqual(['1 order/1', '2 order/1/paid'])
  })

  it('shows a watch that serves what others append', async () => {
    const path = storePath()
    const [owners, others] = [openStore(path), openStore(path)]
    const lease = await owners.leases.acquire('shop')
    await appendIds(owners, lease, 'begun')
    const control = new AbortController()
    const serving = serve(owners, lease, control.signal, ({ id }) => newRecord(`${id}/end`))

    await others.ledger.append({ session: 'shop', records: [newRecord('in/1', '{}', 'input')] })
    for await (const tip of others.ledger.watch({ session: 'shop', after: 0 })) if (tip === 3) break
    control.abort()
    await serving

    expect(await idsOf(others, 'shop')).toEqual(['begun', 'in/1', 'in/1/end'])
    expect((await others.ledger.find('shop'))?.wakeAt).toBeUndefined()
  })

  it('shows the code that this file runs', () => {
    const source = readFileSync(new URL(import.meta.url), 'utf8')

    const parts = source.split(/^\/\/ The \w+ of the README begins here\.\n|^\/\/ It ends here\.\n/m)

    const [, usage = 'none', , watch = 'none'] = parts
    expect(readme).toContain(usage.trim())
    expect(readme).toContain(watch.trim())
  })

  it('names every error code', () => {
    const errors = readme.slice(readme.indexOf('## Errors'))

    const named = [...errors.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code)

    expect(named).toEqual(Object.keys(errorCodes))
  })
})
