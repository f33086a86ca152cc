/** What an append promises. */
import assert from 'node:assert/strict'

import type { AddCase } from './case.ts'
import { newRecord } from './new-record.ts'

export function addAppendCases(add: AddCase): void {
  add('numbers records 1, 2, 3 across groups without a gap', async (bench) => {
    const lease = await bench.store.leases.acquire('a')

    await bench.committed(lease, [newRecord('one')])
    await bench.committed(lease, [newRecord('two'), newRecord('three')])

    const records = await bench.records('a')
    assert.deepEqual(
      records.map(({ seq, id }) => [seq, id]),
      [
        [1, 'one'],
        [2, 'two'],
        [3, 'three'],
      ],
    )
  })

  add('answers ok with the records as they are read later', async (bench) => {
    const lease = await bench.store.leases.acquire('a')

    const answered = await bench.committed(lease, [newRecord('one', '{}', 'input'), newRecord('two', '[]', 'run')])

    assert.deepEqual(answered, await bench.records('a'))
  })

  add('stamps a whole group with the time of the store', async (bench, clock) => {
    const lease = await bench.store.leases.acquire('a')
    clock.now = 1_234

    const [first, second] = await bench.committed(lease, [newRecord('one'), newRecord('two')])

    assert.deepEqual([first?.at, second?.at], [1_234, 1_234])
  })

  add('keeps the order of seq when the clock goes back', async (bench, clock) => {
    const lease = await bench.store.leases.acquire('a')
    clock.now = 2_000
    await bench.committed(lease, [newRecord('late')])
    clock.now = 1_000

    await bench.committed(lease, [newRecord('early')])

    const records = await bench.records('a')
    assert.deepEqual(
      records.map((record) => record.id),
      ['late', 'early'],
    )
  })

  add('numbers sessions independently', async (bench) => {
    const [a, b] = [await bench.store.leases.acquire('a'), await bench.store.leases.acquire('b')]

    await bench.committed(a, [newRecord('one'), newRecord('two')])
    const [first] = await bench.committed(b, [newRecord('one', '"b"')])

    assert.equal(first?.seq, 1)
    assert.deepEqual([(await bench.records('a')).length, (await bench.records('b')).length], [2, 1])
  })

  add('gives each of many appends at once its own seq', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    const ids = Array.from({ length: 100 }, (_, index) => `id-${index}`)

    await Promise.all(ids.map((id) => bench.committed(lease, [newRecord(id)])))

    const records = await bench.records('a')
    assert.deepEqual(
      records.map((record) => record.seq),
      ids.map((_, index) => index + 1),
    )
    assert.deepEqual(new Set(records.map((record) => record.id)), new Set(ids))
  })

  add('commits appends of one session in the order of the calls', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    const ids = Array.from({ length: 20 }, (_, index) => `id-${index}`)

    await Promise.all(ids.map((id) => bench.append(lease, [newRecord(id)])))

    const records = await bench.records('a')
    assert.deepEqual(
      records.map((record) => record.id),
      ids,
    )
  })

  add('keeps what it was given when the caller changes it later', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    const record = { ...newRecord('one') }
    const records = [record]

    const appending = bench.append(lease, records)
    Object.assign(record, newRecord('other'))
    records.push(newRecord('more'))
    await appending

    const [stored, ...more] = await bench.records('a')
    assert.deepEqual([stored?.id, more.length], ['one', 0])
  })
}
