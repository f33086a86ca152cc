/** Hints of growth. */
import assert from 'node:assert/strict'

import { refuses } from './bench.ts'
import type { AddCase } from './case.ts'
import { newRecord } from './new-record.ts'
import { tipsOf } from './tips.ts'

export function addWatchCases(add: AddCase): void {
  add('tells a watcher at once of what is there after its seq', async (bench) => {
    const lease = await bench.begin('a')
    await bench.committed(lease, [newRecord('two'), newRecord('three')])

    assert.equal(await tipsOf(bench.store, { session: 'a', after: 0 }).next(), 3)
    assert.equal(await tipsOf(bench.store, { session: 'a', after: 2 }).next(), 3)
  })

  add('tells a watcher that waits, by owners and others, once for each group', async (bench) => {
    const lease = await bench.begin('a')
    const tips = tipsOf(bench.store, { session: 'a', after: 1 })

    const first = tips.next()
    await bench.committed(lease, [newRecord('two'), newRecord('three')])
    assert.equal(await first, 3)
    const second = tips.next()
    await bench.appendOutside('a', [newRecord('input')])
    assert.equal(await second, 4)
  })

  add('keeps only the latest tip for a watcher that is busy', async (bench) => {
    const lease = await bench.begin('a')
    const tips = tipsOf(bench.store, { session: 'a', after: 0 })
    assert.equal(await tips.next(), 1)

    for (const id of ['two', 'three', 'four']) await bench.committed(lease, [newRecord(id)])
    await bench.committed(lease, [newRecord('two')])

    assert.equal(await tips.next(), 4)
    const waiting = tips.next()
    await bench.committed(lease, [newRecord('five')])
    assert.equal(await waiting, 5)
  })

  add(
    'tells nothing of other sessions, of appends that write nothing, and of what is not after its seq',
    async (bench) => {
      const [a, b] = [await bench.begin('a'), await bench.begin('b')]
      const waiting = tipsOf(bench.store, { session: 'a', after: 2 }).next()

      await bench.committed(b, [newRecord('two'), newRecord('three'), newRecord('four')])
      await bench.append(a, [newRecord('begun')])
      await bench.append(a, [newRecord('begun', '"other"')])
      await bench.append({ ...a, epoch: 99 }, [newRecord('two')])
      await bench.appendWith(a, { wakeAt: 1 })
      await bench.committed(a, [newRecord('two')])
      await bench.committed(a, [newRecord('three'), newRecord('four'), newRecord('five')])

      assert.equal(await waiting, 5)
    },
  )

  add('watches a session that is not there yet', async (bench) => {
    const waiting = tipsOf(bench.store, { session: 'a', after: 0 }).next()

    await bench.begin('a')

    assert.equal(await waiting, 1)
    assert.deepEqual(
      (await bench.store.ledger.list()).map(({ session }) => session),
      ['a'],
    )
  })

  add('tells every watcher, also two iterations of one watch', async (bench) => {
    const lease = await bench.begin('a')
    const watch = bench.store.ledger.watch({ session: 'a', after: 1 })
    const waiting = [
      tipsOf(bench.store, { session: 'a', after: 0 }),
      tipsOf(bench.store, { session: 'a', after: 1 }),
      watch[Symbol.asyncIterator](),
      watch[Symbol.asyncIterator](),
    ].map((tips) => tips.next())
    await bench.committed(lease, [newRecord('two')])

    const [early, late, ...iterations] = await Promise.all(waiting)

    assert.ok(early === 1 || early === 2, `the tip is ${early}`)
    assert.equal(late, 2)
    assert.deepEqual(iterations, Array(2).fill({ value: 2, done: false }))
  })

  add('ends a watch when its signal aborts, while it waits and before a tip that waits', async (bench) => {
    const lease = await bench.begin('a')
    const control = new AbortController()
    const { signal } = control
    const waiting = tipsOf(bench.store, { session: 'a', after: 1, signal })
    const busy = tipsOf(bench.store, { session: 'a', after: 0, signal })
    assert.equal(await busy.next(), 1)
    const second = waiting.next()
    await bench.committed(lease, [newRecord('two')])
    assert.equal(await second, 2)
    const third = waiting.next()

    control.abort()

    assert.deepEqual([await third, await waiting.next(), await busy.next()], [undefined, undefined, undefined])
  })

  add('begins no watch whose signal has aborted', async (bench) => {
    await bench.begin('a')

    assert.equal(await tipsOf(bench.store, { session: 'a', after: 0, signal: AbortSignal.abort() }).next(), undefined)
  })

  add('ends a watch when its consumer leaves, also while it waits', async (bench) => {
    const lease = await bench.begin('a')
    const busy = tipsOf(bench.store, { session: 'a', after: 0 })
    const waiting = tipsOf(bench.store, { session: 'a', after: 1 })
    assert.equal(await busy.next(), 1)
    const ending = waiting.next()

    await busy.leave()
    await waiting.leave()
    await bench.committed(lease, [newRecord('two')])

    assert.deepEqual([await ending, await waiting.next(), await busy.next()], [undefined, undefined, undefined])
  })

  add('throws closed to those who watch when the store closes', async (bench) => {
    await bench.begin('a')
    const waiting = tipsOf(bench.store, { session: 'a', after: 1 })
    const busy = tipsOf(bench.store, { session: 'a', after: 0 })
    assert.equal(await busy.next(), 1)
    const next = refuses(waiting.next(), 'closed')

    await bench.store.close()

    await next
    await refuses(busy.next(), 'closed')
  })

  add('ends a watch that was aborted before the store closed', async (bench) => {
    await bench.begin('a')
    const control = new AbortController()
    const tips = tipsOf(bench.store, { session: 'a', after: 0, signal: control.signal })
    assert.equal(await tips.next(), 1)

    control.abort()
    await bench.store.close()

    assert.equal(await tips.next(), undefined)
  })
}
