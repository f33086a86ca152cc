import { describe, expect, it } from 'vitest'

import { type Faults, failOn, faultyDriver } from '../support/faulty-driver.ts'
import { appendIds, idsOf, openStore, storePath } from '../support/sqlite-fixture.ts'

function openFaulty(path = storePath()) {
  const faults: Faults = { opened: 0 }
  return { faults, store: openStore(path, { busyTimeoutMs: 50 }, faultyDriver(faults)) }
}

describe('sqliteStore when a commit fails', () => {
  it('answers unknown with the cause, and ok to the same group once the commit works', async () => {
    const { store, faults } = openFaulty()
    const lease = await store.leases.acquire('a')
    faults.before = failOn('COMMIT')
    const first = await appendIds(store, lease, 'one', 'two')
    faults.before = undefined

    const second = await appendIds(store, lease, 'one', 'two')

    expect(first).toMatchObject({ outcome: 'unknown', cause: { code: 'io' } })
    expect(second.outcome).toBe('ok')
    expect(await idsOf(store)).toEqual(['one', 'two'])
  })

  it('answers ok once for a group that was committed though the commit failed', async () => {
    const { store, faults } = openFaulty()
    const lease = await store.leases.acquire('a')
    faults.after = failOn('COMMIT')
    const first = await appendIds(store, lease, 'one', 'two')
    faults.after = undefined

    const second = await appendIds(store, lease, 'one', 'two')

    expect([first.outcome, second.outcome]).toEqual(['unknown', 'ok'])
    expect(await idsOf(store)).toEqual(['one', 'two'])
  })

  it('opens the file again and empties the log before the next use', async () => {
    const { store, faults } = openFaulty()
    const lease = await store.leases.acquire('a')
    const openedBefore = faults.opened
    faults.before = failOn('COMMIT')
    await appendIds(store, lease, 'one')
    const statements: string[] = []
    faults.before = (sql) => void statements.push(sql)

    await appendIds(store, lease, 'one')

    expect(faults.opened).toBe(openedBefore + 1)
    const emptied = statements.indexOf('PRAGMA wal_checkpoint(TRUNCATE)')
    const inserted = statements.findIndex((sql) => sql.startsWith('INSERT INTO records'))
    expect(emptied).toBeGreaterThan(-1)
    expect(emptied).toBeLessThan(inserted)
  })

  it('stays unknown while the file cannot be opened again', async () => {
    const { store, faults } = openFaulty()
    const lease = await store.leases.acquire('a')
    faults.before = failOn('COMMIT')
    await appendIds(store, lease, 'one')
    faults.before = failOn('PRAGMA wal_checkpoint')

    const again = await appendIds(store, lease, 'one')
    const read = idsOf(store)

    expect(again).toMatchObject({ outcome: 'unknown', cause: { code: 'io' } })
    await expect(read).rejects.toMatchObject({ code: 'io' })
  })

  it('frees the lock when the commit of the new epoch fails', async () => {
    const { store, faults } = openFaulty()
    faults.before = failOn('COMMIT')
    await expect(store.leases.acquire('a')).rejects.toMatchObject({ code: 'io' })
    faults.before = undefined

    expect(await store.leases.isHeld('a')).toBe(false)
    expect((await store.leases.acquire('a')).epoch).toBe(1)
  })

  it('throws and writes nothing when a statement before the commit fails', async () => {
    const { store, faults } = openFaulty()
    const lease = await store.leases.acquire('a')
    faults.after = failOn('INSERT INTO records')

    await expect(appendIds(store, lease, 'one')).rejects.toMatchObject({ code: 'io' })

    faults.after = undefined
    expect(await idsOf(store)).toEqual([])
  })

  it('commits the other appends of a transaction in which one fails', async () => {
    const { store, faults } = openFaulty()
    const [a, b] = [await store.leases.acquire('a'), await store.leases.acquire('b')]
    let inserts = 0
    faults.before = (sql) => {
      if (sql.startsWith('INSERT INTO records')) inserts += 1
      if (inserts === 1 || inserts === 2) failOn('INSERT INTO records')(sql)
    }

    const [failed, committed] = await Promise.allSettled([appendIds(store, a, 'one'), appendIds(store, b, 'one')])

    expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'io' } })
    expect(committed).toMatchObject({ status: 'fulfilled', value: { outcome: 'ok' } })
    expect([await idsOf(store, 'a'), await idsOf(store, 'b')]).toEqual([[], ['one']])
  })
})
