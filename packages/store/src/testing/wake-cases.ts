/** When a session has work for an owner, and what time it is. */
import assert from 'node:assert/strict'

import { refuses } from './bench.ts'
import type { AddCase } from './case.ts'
import { newRecord } from './new-record.ts'

export function addWakeCases(add: AddCase): void {
  add('tells the time by the clock that stamps records, in whole milliseconds', async (bench, clock) => {
    const lease = await bench.store.leases.acquire('a')
    clock.now = 4_321.9

    const [record] = await bench.committed(lease, [newRecord('one')])

    assert.deepEqual([await bench.store.ledger.now(), record?.at], [4_321, 4_321])
  })

  add('sets wakeAt, keeps it when none is given, and clears it with null', async (bench) => {
    const lease = await bench.begin('a')
    const seen: (number | undefined)[] = [(await bench.entry('a')).wakeAt]

    for (const wakeAt of [9_000, undefined, 0, 5_000, null, undefined]) {
      await bench.appendWith(lease, { wakeAt }, `${seen.length}`)
      seen.push((await bench.entry('a')).wakeAt)
    }

    assert.deepEqual(seen, [undefined, 9_000, 9_000, 0, 5_000, undefined, undefined])
  })

  add('keeps a wakeAt of any size', async (bench) => {
    const lease = await bench.begin('a')

    await bench.appendWith(lease, { wakeAt: Number.MAX_SAFE_INTEGER }, 'one')

    assert.equal((await bench.entry('a')).wakeAt, Number.MAX_SAFE_INTEGER)
  })

  add('lists the wakeAt that it finds', async (bench) => {
    const lease = await bench.begin('a')
    await bench.appendWith(lease, { wakeAt: 9_000 }, 'one')

    assert.deepEqual(
      (await bench.store.ledger.list()).map(({ wakeAt }) => wakeAt),
      [9_000],
    )
  })

  add('leaves wakeAt alone when an append writes nothing', async (bench, clock) => {
    const lease = await bench.begin('a')
    await bench.appendOutside('a', [newRecord('one')], { wakeAt: 1 })
    await bench.appendWith(lease, { wakeAt: 9_000 }, 'two')
    clock.now += 1_000

    await bench.appendOutside('a', [newRecord('one')])
    await bench.appendOutside('a', [newRecord('one')], { wakeAt: 1 })
    await bench.appendWith(lease, { wakeAt: null }, 'two')
    await bench.appendWith(lease, { wakeAt: null }, 'new', 'two')
    await bench.appendWith({ ...lease, epoch: 99 }, { wakeAt: null }, 'three')
    await bench.appendWith({ ...lease, epoch: 99 }, { wakeAt: null })

    assert.equal((await bench.entry('a')).wakeAt, 9_000)
  })

  add('wakes a session at the time of an append without an epoch, unless it wakes earlier', async (bench, clock) => {
    const lease = await bench.begin('a')
    const wakeAfter = async (now: number) => {
      clock.now = now
      await bench.appendOutside('a', [newRecord(`at-${now}`)])
      return (await bench.entry('a')).wakeAt
    }

    assert.equal(await wakeAfter(5_000), 5_000)
    assert.equal(await wakeAfter(6_000), 5_000)
    await bench.appendWith(lease, { wakeAt: 9_000 }, 'gate')
    assert.equal(await wakeAfter(7_000), 7_000)
    await bench.appendWith(lease, { wakeAt: null }, 'idle')
    assert.equal(await wakeAfter(8_000), 8_000)
  })

  add('takes the wakeAt that an append without an epoch gives', async (bench) => {
    await bench.begin('a')

    await bench.appendOutside('a', [newRecord('one')], { wakeAt: 77_000 })
    assert.equal((await bench.entry('a')).wakeAt, 77_000)
    await bench.appendOutside('a', [newRecord('two')], { wakeAt: null })
    assert.equal((await bench.entry('a')).wakeAt, undefined)
  })

  add('does not lose a wake that the writer has not seen, and may make it earlier', async (bench, clock) => {
    const lease = await bench.begin('a')
    clock.now = 5_000
    await bench.appendOutside('a', [newRecord('input')])

    await bench.appendWith(lease, { wakeAt: null, seen: 1 }, 'idle')
    assert.equal((await bench.entry('a')).wakeAt, 5_000)
    await bench.appendWith(lease, { wakeAt: 9_000, seen: 2 }, 'later')
    assert.equal((await bench.entry('a')).wakeAt, 5_000)
    await bench.appendWith(lease, { wakeAt: 4_000, seen: 3 }, 'earlier')
    assert.equal((await bench.entry('a')).wakeAt, 4_000)
  })

  add('takes the wakeAt of a writer that has seen all', async (bench) => {
    const lease = await bench.begin('a')
    await bench.appendOutside('a', [newRecord('input')])

    await bench.appendWith(lease, { wakeAt: 9_000, seen: 2 }, 'gate')
    assert.equal((await bench.entry('a')).wakeAt, 9_000)
    await bench.appendWith(lease, { wakeAt: null, seen: 3 }, 'idle')
    assert.equal((await bench.entry('a')).wakeAt, undefined)
  })

  add('lets an owner write wakeAt alone, which changes neither tip nor time', async (bench, clock) => {
    const lease = await bench.begin('a')
    const before = await bench.entry('a')
    clock.now += 1_000

    const answers = [await bench.appendWith(lease, { wakeAt: 9_000, seen: 1 })]
    assert.deepEqual(await bench.entry('a'), { ...before, wakeAt: 9_000 })
    await bench.appendOutside('a', [newRecord('input')])
    answers.push(await bench.appendWith(lease, { wakeAt: null, seen: 1 }))
    assert.equal((await bench.entry('a')).wakeAt, clock.now)
    answers.push(await bench.appendWith(lease, { wakeAt: null, seen: 2 }))
    assert.equal((await bench.entry('a')).wakeAt, undefined)

    assert.deepEqual(answers, Array(3).fill({ outcome: 'ok', records: [] }))
  })

  add('fences an owner that was replaced and writes wakeAt alone', async (bench) => {
    const stale = await bench.begin('a')
    await stale.release()
    await bench.store.leases.acquire('a')

    assert.deepEqual(await bench.appendWith(stale, { wakeAt: 9_000 }), { outcome: 'fenced' })
    assert.equal((await bench.entry('a')).wakeAt, undefined)
  })

  add('refuses no records without an epoch or without a wakeAt', async (bench) => {
    const lease = await bench.begin('a')

    await refuses(bench.appendOutside('a', [], { wakeAt: 1 }), 'invalid', 'records')
    await refuses(bench.appendWith(lease, { seen: 1 }), 'invalid', 'records')
  })

  add('refuses a wakeAt and a seen that are no whole numbers', async (bench) => {
    const lease = await bench.begin('a')

    for (const bad of [1.5, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await refuses(bench.appendWith(lease, { wakeAt: bad }, 'one'), 'invalid', 'wakeAt')
      await refuses(bench.appendWith(lease, { wakeAt: 1, seen: bad }, 'one'), 'invalid', 'seen')
    }
    assert.equal((await bench.entry('a')).tip, 1)
  })
}
