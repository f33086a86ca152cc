/** Pages, heads and lists. */
import assert from 'node:assert/strict'

import type { AddCase } from './case.ts'
import { newRecord } from './new-record.ts'

export function addReadCases(add: AddCase): void {
  add('reads pages after a seq, in order, and an empty one at the end', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    await bench.committed(
      lease,
      Array.from({ length: 7 }, (_, index) => newRecord(`id-${index}`)),
    )

    const seqs = async (after: number) =>
      (await bench.store.ledger.read({ session: 'a', after, limit: 3 })).map((record) => record.seq)

    assert.deepEqual(await seqs(0), [1, 2, 3])
    assert.deepEqual(await seqs(5), [6, 7])
    assert.deepEqual(await seqs(7), [])
    assert.deepEqual(await seqs(1_000), [])
  })

  add('ends a page early when its bodies are large, and goes on with the next', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    const large = 'x'.repeat(15 * 1024 * 1024)
    for (const id of ['one', 'two', 'three']) await bench.committed(lease, [newRecord(id, large)])

    const page = await bench.store.ledger.read({ session: 'a', after: 0, limit: 3 })

    assert.equal(page.length, 2)
    assert.equal((await bench.records('a')).length, 3)
  })

  add('knows nothing of a session that is not there', async (bench) => {
    assert.deepEqual(await bench.store.ledger.read({ session: 'a', after: 0, limit: 10 }), [])
    assert.equal(await bench.store.ledger.find('a'), undefined)
    assert.deepEqual(await bench.store.ledger.list(), [])
  })

  add('lists a leased session before its first record, with tip 0 and an empty head', async (bench, clock) => {
    clock.now = 77
    await bench.store.leases.acquire('a')

    assert.deepEqual(await bench.store.ledger.list(), [{ session: 'a', tip: 0, at: 77, head: '', wakeAt: undefined }])
  })

  add('replaces the head, keeps it when none is given, and takes an empty one', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    const head = async () => (await bench.store.ledger.find('a'))?.head

    await bench.committed(lease, [newRecord('one')], 'first \0\u{1f600}')
    assert.equal(await head(), 'first \0\u{1f600}')
    await bench.committed(lease, [newRecord('two')])
    assert.equal(await head(), 'first \0\u{1f600}')
    await bench.committed(lease, [newRecord('three')], '')
    assert.equal(await head(), '')
  })

  add('leaves the entry alone when an append writes nothing', async (bench, clock) => {
    const lease = await bench.store.leases.acquire('a')
    await bench.committed(lease, [newRecord('one')], 'old')
    await bench.committed(lease, [newRecord('two')], 'new')
    const before = await bench.store.ledger.find('a')
    clock.now += 1_000

    await bench.append(lease, [newRecord('one')], 'old')
    await bench.append(lease, [newRecord('two', '"other"')], 'taken')
    await bench.append({ ...lease, epoch: 99 }, [newRecord('three')], 'fenced')

    assert.deepEqual(await bench.store.ledger.find('a'), before)
  })

  add('lists the last active first', async (bench, clock) => {
    const [a, b] = [await bench.store.leases.acquire('a'), await bench.store.leases.acquire('b')]
    const names = async () => (await bench.store.ledger.list()).map((entry) => entry.session)

    clock.now += 1
    await bench.committed(a, [newRecord('one')])
    assert.deepEqual(await names(), ['a', 'b'])
    clock.now += 1
    await bench.committed(b, [newRecord('one')])
    assert.deepEqual(await names(), ['b', 'a'])
  })

  add('finds the same entry that it lists', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    await bench.committed(lease, [newRecord('one'), newRecord('two')], 'head')

    const [entry] = await bench.store.ledger.list()

    assert.deepEqual(entry, await bench.store.ledger.find('a'))
    assert.deepEqual([entry?.tip, entry?.head], [2, 'head'])
  })
}
