import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

import type { NewRecord, StoreErrorCode } from '../src/index.ts'
import { sqliteStore } from '../src/sqlite.ts'
import { storePath } from './support/sqlite-fixture.ts'

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

  it('shows the code that this file runs', () => {
    const source = readFileSync(new URL(import.meta.url), 'utf8')

    const [, usage = 'none'] = source.split(/^\/\/ The usage of the README begins here\.\n|^\/\/ It ends here\.\n/m)

    expect(readme).toContain(usage.trim())
  })

  it('names every error code', () => {
    const errors = readme.slice(readme.indexOf('## Errors'))

    const named = [...errors.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code)

    expect(named).toEqual(Object.keys(errorCodes))
  })
})
