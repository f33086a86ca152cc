/** Appends without an epoch: from anywhere, beside an owner or without one; the first record in a slot wins. */
import assert from 'node:assert/strict'

import type { AddCase } from './case.ts'
import { newRecord } from './new-record.ts'

export function addOutsideCases(add: AddCase): void {
  add('takes an append without an epoch beside an owner, who goes on behind it', async (bench) => {
    const lease = await bench.begin('a')

    const outside = await bench.appendOutside('a', [newRecord('input', '{}', 'input'), newRecord('more')])
    const [owners] = await bench.committed(lease, [newRecord('next')])

    assert.deepEqual(outside.outcome === 'ok' && outside.records.map(({ seq, kind }) => [seq, kind]), [
      [2, 'input'],
      [3, 'event'],
    ])
    assert.equal(owners?.seq, 4)
  })

  add('takes an append without an epoch when nobody owns the session, and takes no lease for it', async (bench) => {
    await (await bench.begin('a')).release()

    const answer = await bench.appendOutside('a', [newRecord('input')], { head: 'new' })

    assert.equal(answer.outcome, 'ok')
    const { tip, head } = await bench.entry('a')
    assert.deepEqual([tip, head], [2, 'new'])
    assert.equal(await bench.store.leases.isHeld('a'), false)
    assert.equal((await bench.store.leases.acquire('a')).epoch, 2)
  })

  add('fences an append without an epoch to a session that is not there, and makes none', async (bench) => {
    const answer = await bench.appendOutside('a', [newRecord('input')])

    assert.deepEqual(answer, { outcome: 'fenced' })
    assert.equal(await bench.store.ledger.find('a'), undefined)
  })

  add('fences an append without an epoch to a session that has no record yet', async (bench) => {
    await bench.store.leases.acquire('a')

    const answer = await bench.appendOutside('a', [newRecord('input')])

    assert.deepEqual(answer, { outcome: 'fenced' })
    const { tip, wakeAt } = await bench.entry('a')
    assert.deepEqual([tip, wakeAt], [0, undefined])
  })

  add('answers the same ok again to a group without an epoch, also after another owner came', async (bench) => {
    const lease = await bench.begin('a')
    const group = [newRecord('input'), newRecord('more')]
    const first = await bench.appendOutside('a', group)
    await lease.release()
    await bench.committed(await bench.store.leases.acquire('a'), [newRecord('next')])

    const again = await bench.appendOutside('a', group)

    assert.equal(first.outcome, 'ok')
    assert.deepEqual(again, first)
    assert.equal((await bench.entry('a')).tip, 4)
  })

  add('refuses a slot that the owner has taken to an append without an epoch', async (bench) => {
    const lease = await bench.begin('a')
    await bench.committed(lease, [newRecord('in/1/end', '"started"')])

    const answer = await bench.appendOutside('a', [newRecord('in/1/end', '"cancelled"')])

    assert.deepEqual(answer, { outcome: 'slot_taken', ids: ['in/1/end'] })
    assert.equal((await bench.entry('a')).tip, 2)
  })

  add('refuses a slot to the owner that an append without an epoch has taken, with all of its group', async (bench) => {
    const lease = await bench.begin('a')
    await bench.appendOutside('a', [newRecord('in/1/end', '"cancelled"')])

    const answer = await bench.append(lease, [newRecord('before'), newRecord('in/1/end', '"started"')])

    assert.deepEqual(answer, { outcome: 'slot_taken', ids: ['in/1/end'] })
    assert.equal((await bench.entry('a')).tip, 2)
  })

  add('lets one of an owner and an outsider that append at once have a slot', async (bench) => {
    const lease = await bench.begin('a')
    const ids = Array.from({ length: 20 }, (_, index) => `in/${index}/end`)

    const races = await Promise.all(
      ids.map((id) =>
        Promise.all([
          bench.append(lease, [newRecord(id, '"started"')]),
          bench.appendOutside('a', [newRecord(id, '"cancelled"')]),
        ]),
      ),
    )

    for (const answers of races) {
      assert.deepEqual(answers.map((answer) => answer.outcome).sort(), ['ok', 'slot_taken'])
    }
    assert.equal((await bench.entry('a')).tip, 21)
  })
}
