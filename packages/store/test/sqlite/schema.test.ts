import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

import { newRecord } from '../../src/testing.ts'
import { type Faults, failOn, faultyDriver } from '../support/faulty-driver.ts'
import { makeSchema1 } from '../support/schema-1.ts'
import { appendIds, idsOf, openBeside, openStore, storePath } from '../support/sqlite-fixture.ts'

describe('sqliteStore on a file of schema version 1', () => {
  it('keeps what is there and goes on, with wakes', async () => {
    const path = storePath()
    makeSchema1(path).close()
    const store = openStore(path, { clock: () => 5_000 })

    const before = await store.ledger.find('a')
    const lease = await store.leases.acquire('a')
    await appendIds(store, lease, 'two')
    await store.ledger.append({ session: 'a', records: [newRecord('input')] })

    expect(before).toEqual({ session: 'a', tip: 1, at: 20, head: 'head', wakeAt: undefined })
    expect(lease.epoch).toBe(4)
    expect(await idsOf(store)).toEqual(['one', 'two', 'input'])
    expect((await store.ledger.find('a'))?.wakeAt).toBe(5_000)
  })

  it('has the tables of a new file afterwards', () => {
    const [old, fresh] = [storePath(), storePath()]
    makeSchema1(old).close()
    for (const path of [old, fresh]) openStore(path)

    const [migrated, made] = [old, fresh].map((path) => {
      const beside = openBeside(path)
      const tables = ['sessions', 'records', 'contents'].map((name) => beside.all(`PRAGMA table_xinfo(${name})`))
      return [beside.all('PRAGMA user_version'), beside.all('PRAGMA application_id'), tables]
    })

    expect(migrated).toEqual(made)
    expect(migrated?.[0]).toEqual([[2]])
  })

  it('leaves the file as it was when the change fails, and makes it the next time', async () => {
    const path = storePath()
    makeSchema1(path)
    const faults: Faults = { opened: 0, after: failOn('ALTER TABLE') }

    expect(() => openStore(path, {}, faultyDriver(faults))).toThrow(expect.objectContaining({ code: 'io' }))

    const beside = openBeside(path)
    expect(beside.all('PRAGMA user_version')).toEqual([[1]])
    expect(beside.all('PRAGMA table_info(sessions)').length).toBe(6)
    expect(await idsOf(openStore(path))).toEqual(['one'])
  })

  it('makes the change once when two open it at the same moment', async () => {
    const path = storePath()
    makeSchema1(path)
    const faults: Faults = { opened: 0 }
    faults.before = (sql) => {
      if (sql !== 'BEGIN IMMEDIATE') return
      faults.before = undefined
      openStore(path)
    }

    const store = openStore(path, {}, faultyDriver(faults))

    expect(await idsOf(store)).toEqual(['one'])
  })

  it('does not disturb a release of version 1 that has it open', async () => {
    const path = storePath()
    const old = makeSchema1(path)
    const entry = 'SELECT epoch, tip FROM sessions WHERE session = ?'
    old.all(entry, 'a')
    const store = openStore(path)
    await appendIds(store, await store.leases.acquire('a'), 'two')

    old.run("UPDATE sessions SET tip = ?, at = ?, head = coalesce(?, head) WHERE session = 'a'", 2, 30, 'old')

    expect(old.all(entry, 'a')).toEqual([[4, 2]])
    expect(await store.ledger.find('a')).toMatchObject({ at: 30, head: 'old' })
  })
})

describe('sqliteStore on a file of a newer schema version', () => {
  it('refuses it, names both versions and changes nothing', () => {
    const path = storePath()
    openStore(path)
    const beside = openBeside(path)
    beside.exec('PRAGMA user_version = 3; PRAGMA wal_checkpoint(TRUNCATE)')
    const before = readFileSync(path)

    expect(() => openStore(path)).toThrow(
      expect.objectContaining({
        code: 'unreadable',
        message: 'the store has schema version 3; this release reads 1 to 2',
      }),
    )
    expect(readFileSync(path).equals(before)).toBe(true)
  })
})
