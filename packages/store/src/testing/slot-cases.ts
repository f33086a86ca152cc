/** What is true when an id is there already, or the writer is not the owner. */
import assert from 'node:assert/strict'

import type { AddCase } from './case.ts'
import { newRecord } from './new-record.ts'

export function addSlotCases(add: AddCase): void {
  add('answers the same ok again when a whole group is sent again', async (bench, clock) => {
    const lease = await bench.store.leases.acquire('a')
    const group = [newRecord('one'), newRecord('two')]
    const first = await bench.append(lease, group)
    clock.now += 5_000

    const second = await bench.append(lease, group)

    assert.deepEqual(second, first)
    assert.equal((await bench.records('a')).length, 2)
  })

  add('answers an old group again after newer ones', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    const first = await bench.append(lease, [newRecord('one')])
    await bench.committed(lease, [newRecord('two')])

    const again = await bench.append(lease, [newRecord('one')])

    assert.deepEqual(again, first)
    assert.equal((await bench.store.ledger.find('a'))?.tip, 2)
  })

  add('commits a group once when it is sent twice at once', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    const group = [newRecord('one'), newRecord('two')]

    const [first, second] = await Promise.all([bench.append(lease, group), bench.append(lease, group)])

    assert.equal(first?.outcome, 'ok')
    assert.deepEqual(second, first)
    assert.equal((await bench.records('a')).length, 2)
  })

  add('writes nothing of a group whose id has another body, and names the id', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    await bench.committed(lease, [newRecord('one')])

    const answer = await bench.append(lease, [newRecord('one', '"other"')])

    assert.deepEqual(answer, { outcome: 'slot_taken', ids: ['one'] })
    assert.deepEqual(
      (await bench.records('a')).map((record) => record.body),
      [newRecord('one').body],
    )
  })

  add('writes nothing of a group whose id has another kind', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    await bench.committed(lease, [newRecord('one', '{}', 'event')])

    const answer = await bench.append(lease, [newRecord('one', '{}', 'run')])

    assert.deepEqual(answer, { outcome: 'slot_taken', ids: ['one'] })
  })

  add('writes nothing of a group that is there in part', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    await bench.committed(lease, [newRecord('two')])

    const answer = await bench.append(lease, [newRecord('one'), newRecord('two'), newRecord('three')])

    assert.deepEqual(answer, { outcome: 'slot_taken', ids: ['two'] })
    assert.equal((await bench.records('a')).length, 1)
  })

  add('takes records of several groups for no group', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    await bench.committed(lease, [newRecord('one')])
    await bench.committed(lease, [newRecord('between')])
    await bench.committed(lease, [newRecord('two')])

    const answer = await bench.append(lease, [newRecord('one'), newRecord('two')])

    assert.deepEqual(answer, { outcome: 'slot_taken', ids: ['one', 'two'] })
  })

  add('takes a group in another order for another group', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    await bench.committed(lease, [newRecord('one'), newRecord('two')])

    const answer = await bench.append(lease, [newRecord('two'), newRecord('one')])

    assert.deepEqual(answer, { outcome: 'slot_taken', ids: ['two', 'one'] })
  })

  add('lets one of two writers have a slot', async (bench) => {
    const lease = await bench.store.leases.acquire('a')

    const answers = await Promise.all([
      bench.append(lease, [newRecord('end', '"done"')]),
      bench.append(lease, [newRecord('end', '"failed"')]),
    ])

    assert.deepEqual(
      answers.map((answer) => answer.outcome),
      ['ok', 'slot_taken'],
    )
    assert.equal((await bench.records('a'))[0]?.body, '"done"')
  })

  add('keeps the same id apart in two sessions', async (bench) => {
    const [a, b] = [await bench.store.leases.acquire('a'), await bench.store.leases.acquire('b')]
    await bench.committed(a, [newRecord('end', '"a"')])

    await bench.committed(b, [newRecord('end', '"b"')])

    assert.equal((await bench.records('b'))[0]?.body, '"b"')
  })

  add('fences a writer with a lower epoch, also when it repeats its own group', async (bench) => {
    const stale = await bench.store.leases.acquire('a')
    await bench.committed(stale, [newRecord('one')])
    await stale.release()
    await bench.store.leases.acquire('a')

    const answers = [await bench.append(stale, [newRecord('two')]), await bench.append(stale, [newRecord('one')])]

    assert.deepEqual(answers, [{ outcome: 'fenced' }, { outcome: 'fenced' }])
    assert.equal((await bench.records('a')).length, 1)
  })

  add('fences a writer with a higher epoch', async (bench) => {
    const lease = await bench.store.leases.acquire('a')

    const answer = await bench.append({ ...lease, epoch: lease.epoch + 1 }, [newRecord('one')])

    assert.deepEqual(answer, { outcome: 'fenced' })
    assert.equal((await bench.records('a')).length, 0)
  })

  add('fences an append to a session that no one has leased', async (bench) => {
    const answer = await bench.store.ledger.append({ session: 'a', epoch: 1, records: [newRecord('one')] })

    assert.deepEqual(answer, { outcome: 'fenced' })
    assert.equal(await bench.store.ledger.find('a'), undefined)
  })
}
