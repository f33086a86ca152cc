/** What another store on the same data sees; only for stores that outlive their process. */
import assert from 'node:assert/strict'

import { refuses } from './bench.ts'
import type { AddCase } from './case.ts'
import { newRecord } from './new-record.ts'

export function addReopenCases(add: AddCase): void {
  add('keeps records, entry and epoch after close', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    const records = await bench.committed(lease, [newRecord('one', '\0', 'step'), newRecord('two')], 'head')
    const entry = await bench.store.ledger.find('a')
    await bench.store.close()

    const other = await bench.reopen()

    assert.deepEqual(await other.ledger.read({ session: 'a', after: 0, limit: 10 }), records)
    assert.deepEqual(await other.ledger.find('a'), entry)
    assert.equal((await other.leases.acquire('a')).epoch, 2)
  })

  add('frees its leases when it closes', async (bench) => {
    await bench.store.leases.acquire('a')
    const other = await bench.reopen()
    await refuses(other.leases.acquire('a'), 'lease_held')

    await bench.store.close()

    assert.equal(await other.leases.isHeld('a'), false)
    assert.equal((await other.leases.acquire('a')).epoch, 2)
  })

  add('shows an owner to other stores', async (bench) => {
    const other = await bench.reopen()
    const lease = await bench.store.leases.acquire('a')

    assert.equal(await other.leases.isHeld('a'), true)
    await lease.release()
    assert.equal(await other.leases.isHeld('a'), false)
  })

  add('fences an owner that another store has replaced', async (bench) => {
    const stale = await bench.store.leases.acquire('a')
    await stale.release()
    const other = await bench.reopen()
    const owner = await other.leases.acquire('a')

    const answer = await bench.append(stale, [newRecord('one')])

    assert.deepEqual(answer, { outcome: 'fenced' })
    const { session, epoch } = owner
    assert.equal((await other.ledger.append({ session, epoch, records: [newRecord('one')] })).outcome, 'ok')
  })

  add('sees at once what another store has committed', async (bench) => {
    const other = await bench.reopen()
    const lease = await bench.store.leases.acquire('a')
    await bench.committed(lease, [newRecord('one')])

    assert.equal((await other.ledger.find('a'))?.tip, 1)
  })
}
