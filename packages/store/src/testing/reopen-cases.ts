/** What another store on the same data sees; only for stores that outlive their process. */
import assert from 'node:assert/strict'

import { refuses } from './bench.ts'
import type { AddCase } from './case.ts'
import { newRecord } from './new-record.ts'
import { tipsOf, tipsUntil } from './tips.ts'

export function addReopenCases(add: AddCase): void {
  add('keeps records, entry with wakeAt, and epoch after close', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    const records = await bench.committed(lease, [newRecord('one', '\0', 'step'), newRecord('two')], 'head')
    await bench.appendWith(lease, { wakeAt: 9_000 })
    const entry = await bench.entry('a')
    await bench.store.close()

    const other = await bench.reopen()

    assert.deepEqual(await other.ledger.read({ session: 'a', after: 0, limit: 10 }), records)
    assert.deepEqual(await other.ledger.find('a'), entry)
    assert.equal(entry.wakeAt, 9_000)
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

  add('takes an append without an epoch by another store than the owner has', async (bench) => {
    const other = await bench.reopen()
    const lease = await bench.begin('a')

    const outside = await other.ledger.append({ session: 'a', records: [newRecord('input')] })
    const [owners] = await bench.committed(lease, [newRecord('next')])

    assert.deepEqual([outside.outcome, owners?.seq], ['ok', 3])
    assert.equal(typeof (await bench.entry('a')).wakeAt, 'number')
  })

  add('lets one of two stores that append without an epoch have a slot', async (bench) => {
    const other = await bench.reopen()
    await bench.begin('a')
    const ids = Array.from({ length: 20 }, (_, index) => `gate/${index}/end`)

    for (const id of ids) {
      const answers = await Promise.all([
        bench.appendOutside('a', [newRecord(id, '"approve"')]),
        other.ledger.append({ session: 'a', records: [newRecord(id, '"deny"')] }),
      ])
      assert.deepEqual(answers.map((answer) => answer.outcome).sort(), ['ok', 'slot_taken'])
    }

    assert.equal((await bench.entry('a')).tip, 21)
  })

  add('tells a watcher of what another store commits, whether it waits or is busy', async (bench) => {
    const other = await bench.reopen()
    const tips = tipsOf(other, { session: 'a', after: 0 })

    const first = tips.next()
    const lease = await bench.begin('a')
    assert.equal(await first, 1)
    for (const id of ['two', 'three', 'four']) await bench.committed(lease, [newRecord(id)])
    await tipsUntil(tips, 4)
    const last = tips.next()
    await bench.appendOutside('a', [newRecord('input')])
    assert.equal(await last, 5)
  })
}
