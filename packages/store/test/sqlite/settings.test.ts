import { describe, expect, it } from 'vitest'

import type { SqliteConnection } from '../../src/sqlite/driver.ts'
import { openLibsql } from '../../src/sqlite/libsql-driver.ts'
import { newRecord } from '../../src/testing.ts'
import { type Faults, failOn, faultyDriver } from '../support/faulty-driver.ts'
import { appendIds, openBeside, openStore, storePath } from '../support/sqlite-fixture.ts'

describe('sqliteStore', () => {
  it('commits with a synchronous write-ahead log on every connection, also on one it opens again', async () => {
    const connections: SqliteConnection[] = []
    const faults: Faults = { opened: 0 }
    const open = faultyDriver(faults)
    const path = storePath()
    const store = openStore(path, {}, (file) => {
      const connection = open(file)
      if (file === path) connections.push(connection)
      return connection
    })
    const lease = await store.leases.acquire('a')
    faults.before = failOn('COMMIT')
    await appendIds(store, lease, 'one')
    faults.before = undefined
    await appendIds(store, lease, 'one')

    const again = connections[1]
    expect(connections.length).toBe(2)
    expect(again?.all('PRAGMA synchronous')).toEqual([[2]])
    expect(again?.all('PRAGMA journal_mode')).toEqual([['wal']])
    expect(again?.all('PRAGMA fullfsync')).toEqual([[1]])
    expect(again?.all('PRAGMA busy_timeout')).toEqual([[0]])
  })

  it('refuses to open when the settings do not hold', () => {
    const open = (path: string): SqliteConnection => {
      const real = openLibsql(path)
      const exec = (sql: string) => real.exec(sql.replace('synchronous = FULL', 'synchronous = NORMAL'))
      return {
        inTransaction: false,
        exec,
        run: real.run.bind(real),
        all: real.all.bind(real),
        close: () => real.close(),
      }
    }

    expect(() => openStore(storePath(), {}, open)).toThrow(expect.objectContaining({ code: 'unreadable' }))
  })

  it('keeps a body of more than 256 KiB in a table of its own and a shorter one in its row', async () => {
    const path = storePath()
    const store = openStore(path)
    const { session, epoch } = await store.leases.acquire('a')
    const records = [256, 257].map((kibibytes) => newRecord(`${kibibytes}`, 'x'.repeat(kibibytes * 1_024)))
    await store.ledger.append({ session, epoch, records })

    const beside = openBeside(path)

    expect(beside.all('SELECT seq, body IS NULL FROM records ORDER BY seq')).toEqual([
      [1, 0],
      [2, 1],
    ])
    expect(beside.all('SELECT session, seq, length(body) FROM contents')).toEqual([['a', 2, 257 * 1_024]])
  })
})
