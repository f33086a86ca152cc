import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { type Faults, faultyDriver } from '../support/faulty-driver.ts'
import { appendIds, idsOf, openBeside, openStore, storePath } from '../support/sqlite-fixture.ts'

describe('sqliteStore while another connection writes', () => {
  it('waits for it, with the event loop running, and then commits', async () => {
    const path = storePath()
    const store = openStore(path)
    const lease = await store.leases.acquire('a')
    const other = openBeside(path)
    other.exec('BEGIN IMMEDIATE')

    const appending = appendIds(store, lease, 'one')
    setTimeout(() => other.exec('COMMIT'), 30)

    expect((await appending).outcome).toBe('ok')
  })

  it('throws busy when its time is over, and has written nothing', async () => {
    const path = storePath()
    const store = openStore(path, { busyTimeoutMs: 20 })
    const lease = await store.leases.acquire('a')
    const other = openBeside(path)
    other.exec('BEGIN IMMEDIATE')

    const appends = await Promise.allSettled([appendIds(store, lease, 'one'), appendIds(store, lease, 'two')])
    other.exec('ROLLBACK')

    expect(appends).toMatchObject([{ reason: { code: 'busy' } }, { reason: { code: 'busy' } }])
    expect(await idsOf(store)).toEqual([])
  })

  it('reads what was committed meanwhile', async () => {
    const path = storePath()
    const store = openStore(path)
    const lease = await store.leases.acquire('a')
    await appendIds(store, lease, 'one')
    openBeside(path).exec('BEGIN IMMEDIATE; DELETE FROM records')

    expect(await idsOf(store)).toEqual(['one'])
  })

  it('frees the lock of a session whose epoch it cannot raise', async () => {
    const path = storePath()
    const store = openStore(path, { busyTimeoutMs: 20 })
    const other = openBeside(path)
    other.exec('BEGIN IMMEDIATE')

    await expect(store.leases.acquire('a')).rejects.toMatchObject({ code: 'busy' })

    other.exec('ROLLBACK')
    expect((await store.leases.acquire('a')).epoch).toBe(1)
  })

  it('opens a new path that another makes at the same moment', async () => {
    const path = storePath()
    const faults: Faults = { opened: 0 }
    faults.before = (sql) => {
      if (sql !== 'PRAGMA user_version') return
      faults.before = undefined
      expect(() => openStore(path, { busyTimeoutMs: 0 })).toThrow(expect.objectContaining({ code: 'busy' }))
    }

    const store = openStore(path, {}, faultyDriver(faults))

    expect((await store.leases.acquire('a')).epoch).toBe(1)
  })

  it('fails to open when the file stays busy', () => {
    const path = storePath()
    openStore(path)
    openBeside(path).exec('BEGIN IMMEDIATE')

    expect(() => openStore(path, { busyTimeoutMs: 20 })).toThrow(expect.objectContaining({ code: 'busy' }))
  })
})

describe('sqliteStore while another looks at a lock', () => {
  async function lookedAt() {
    const path = storePath()
    const store = openStore(path)
    await (await store.leases.acquire('a')).release()
    const look = openBeside(join(dirname(path), 'locks', 'a.lock'))
    look.exec('BEGIN; SELECT * FROM sqlite_schema')
    return { store, look }
  }

  it('waits until the look is over and takes the lease', async () => {
    const { store, look } = await lookedAt()

    const acquiring = store.leases.acquire('a')
    setTimeout(() => look.exec('ROLLBACK'), 50)

    expect((await acquiring).epoch).toBe(2)
  })

  it('refuses when the look does not end', async () => {
    const { store } = await lookedAt()

    await expect(store.leases.acquire('a')).rejects.toMatchObject({ code: 'lease_held', session: 'a' })
  })
})

describe('sqliteStore with many sessions at work', () => {
  it('commits the appends that wait together in one transaction', async () => {
    const faults: Faults = { opened: 0 }
    const store = openStore(storePath(), {}, faultyDriver(faults))
    const leases = await Promise.all(Array.from({ length: 50 }, (_, index) => store.leases.acquire(`s-${index}`)))
    let commits = 0
    faults.after = (sql) => {
      if (sql === 'COMMIT') commits += 1
    }

    await Promise.all(leases.map((lease) => appendIds(store, lease, 'one')))

    expect(commits).toBe(1)
  })
})
