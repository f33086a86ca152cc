/** One owner at a time, and each with a higher epoch. */
import assert from 'node:assert/strict'

import { refuses } from './bench.ts'
import type { AddCase } from './case.ts'
import { newRecord } from './new-record.ts'

export function addLeaseCases(add: AddCase): void {
  add('makes a session with epoch 1 and adds one for each owner', async (bench) => {
    const first = await bench.store.leases.acquire('a')
    await first.release()

    const second = await bench.store.leases.acquire('a')

    assert.deepEqual([first.session, first.epoch, second.epoch], ['a', 1, 2])
  })

  add('refuses a second owner while the first one lives', async (bench) => {
    await bench.store.leases.acquire('a')

    await refuses(bench.store.leases.acquire('a'), 'lease_held')
    assert.equal(await bench.store.leases.isHeld('a'), true)
  })

  add('gives one of several that ask at once the lease', async (bench) => {
    const answers = await Promise.allSettled([1, 2, 3].map(() => bench.store.leases.acquire('a')))

    assert.equal(answers.filter((answer) => answer.status === 'fulfilled').length, 1)
  })

  add('does not touch the epoch when it refuses', async (bench) => {
    const lease = await bench.store.leases.acquire('a')

    await refuses(bench.store.leases.acquire('a'), 'lease_held')

    assert.equal((await bench.append(lease, [newRecord('one')])).outcome, 'ok')
  })

  add('says that a lease is held from acquire to release, and of no other session', async (bench) => {
    assert.equal(await bench.store.leases.isHeld('a'), false)
    const lease = await bench.store.leases.acquire('a')
    assert.deepEqual([await bench.store.leases.isHeld('a'), await bench.store.leases.isHeld('b')], [true, false])
    await lease.release()
    assert.equal(await bench.store.leases.isHeld('a'), false)
  })

  add('makes no session when it only looks', async (bench) => {
    await bench.store.leases.isHeld('a')

    assert.deepEqual(await bench.store.ledger.list(), [])
  })

  add('lets a lease be released twice without harm to the next owner', async (bench) => {
    const first = await bench.store.leases.acquire('a')
    await first.release()
    await bench.store.leases.acquire('a')

    await first.release()

    await refuses(bench.store.leases.acquire('a'), 'lease_held')
  })

  add('leases sessions independently, also those with names like files of another', async ({ store }) => {
    const names = ['a-journal', 'a-wal', 'a-shm', '0', 'x'.repeat(64)]
    await (await store.leases.acquire('a')).release()
    for (const name of names) await store.leases.acquire(name)

    assert.equal(await store.leases.isHeld('a'), false)
    await store.leases.acquire('a')

    for (const name of ['a', ...names]) await refuses(store.leases.acquire(name), 'lease_held')
  })

  add('keeps a lease that no one has lost', async (bench) => {
    const lease = await bench.store.leases.acquire('a')

    assert.equal(lease.lost.aborted, false)
  })
}
