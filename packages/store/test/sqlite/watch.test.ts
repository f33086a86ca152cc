import { describe, expect, it } from 'vitest'

import type { WatchRequest } from '../../src/index.ts'
import { resultCodes, SqliteFailure } from '../../src/sqlite/driver.ts'
import { type Faults, failOn, faultyDriver } from '../support/faulty-driver.ts'
import { manualTicker } from '../support/manual-ticker.ts'
import { appendIds, openBeside, openStore, storePath } from '../support/sqlite-fixture.ts'

const tipsSql = 'SELECT session, tip FROM sessions'

/** A store whose looks are made by hand, and another one that owns the session "a" with one record. */
async function watched() {
  const path = storePath()
  const owner = openStore(path)
  const lease = await owner.leases.acquire('a')
  await appendIds(owner, lease, 'one')
  const faults: Faults = { opened: 0 }
  const ticker = manualTicker()
  const store = openStore(path, { busyTimeoutMs: 20 }, faultyDriver(faults), ticker.start)
  const watch = (request: Partial<WatchRequest> = {}) =>
    store.ledger.watch({ session: 'a', after: 0, ...request })[Symbol.asyncIterator]()
  return { path, owner, lease, faults, ticker, store, watch }
}

function busyOn(beginning: string): (sql: string) => void {
  return (sql) => {
    if (sql.startsWith(beginning)) throw new SqliteFailure(resultCodes.busy, 'database is locked')
  }
}

describe('sqliteStore with watchers', () => {
  it('tells the latest of what another connection has committed when it looks', async () => {
    const { owner, lease, ticker, watch } = await watched()
    const tips = watch()
    await tips.next()
    const next = tips.next()
    await appendIds(owner, lease, 'two')
    await appendIds(owner, lease, 'three')

    ticker.tick()

    expect((await next).value).toBe(3)
  })

  it('tells what it commits itself without a look', async () => {
    const { store, watch } = await watched()
    const tips = watch({ session: 'b' })
    const next = tips.next()

    await appendIds(store, await store.leases.acquire('b'), 'one', 'two')

    expect((await next).value).toBe(2)
  })

  it('looks with one timer while somebody watches, and not before or after', async () => {
    const { ticker, watch } = await watched()
    const control = new AbortController()
    const counts = [ticker.running]
    const [left, aborted] = [watch(), watch({ signal: control.signal })]
    await left.next()
    await aborted.next()
    counts.push(ticker.running)

    await left.return?.()
    counts.push(ticker.running)
    control.abort()

    expect([...counts, ticker.running]).toEqual([0, 1, 1, 0])
  })

  it('looks again when somebody watches again', async () => {
    const { owner, lease, ticker, watch } = await watched()
    const first = watch()
    await first.next()
    await first.return?.()
    const tips = watch({ after: 1 })
    const next = tips.next()
    await appendIds(owner, lease, 'two')

    ticker.tick()

    expect((await next).value).toBe(2)
  })

  it('reads tips only after another connection has committed', async () => {
    const { owner, lease, faults, ticker, watch } = await watched()
    await watch().next()
    ticker.tick()
    let reads = 0
    faults.before = (sql) => {
      if (sql.startsWith(tipsSql)) reads += 1
    }

    for (let looks = 0; looks < 5; looks += 1) ticker.tick()
    const idle = reads
    await appendIds(owner, lease, 'two')
    for (let looks = 0; looks < 5; looks += 1) ticker.tick()

    expect([idle, reads]).toEqual([0, 1])
  })

  it('reads the tip of a new watch alone, also among many', async () => {
    const { faults, watch } = await watched()
    const others = Array.from({ length: 100 }, (_, index) => watch({ session: `s-${index}` }))
    for (const tips of others) void tips.next()
    const reads: unknown[] = []
    faults.before = (sql, parameters) => void reads.push([sql.slice(0, tipsSql.length), ...parameters])

    await watch().next()
    for (const tips of others) await tips.return?.()

    expect(reads).toEqual([[tipsSql, '["a"]']])
  })

  it.each(['PRAGMA data_version', tipsSql])('looks later when it finds the file busy at %s', async (sql) => {
    const { owner, lease, faults, ticker, watch } = await watched()
    const tips = watch()
    await tips.next()
    ticker.tick()
    const next = tips.next()
    await appendIds(owner, lease, 'two')
    faults.before = busyOn(sql)
    ticker.tick()
    ticker.tick()
    faults.before = undefined

    ticker.tick()

    expect((await next).value).toBe(2)
  })

  it('begins a watch on a file that is busy and tells what is there when it is not', async () => {
    const { faults, ticker, watch } = await watched()
    await watch().next()
    ticker.tick()
    faults.before = busyOn(tipsSql)
    const next = watch().next()
    faults.before = undefined

    ticker.tick()

    expect((await next).value).toBe(1)
  })

  it('throws to those who watch when it cannot read the file, and lets them watch again', async () => {
    const { owner, lease, faults, ticker, watch } = await watched()
    const [one, two] = [watch({ after: 1 }), watch({ after: 1, session: 'b' })]
    const failing = Promise.allSettled([one.next(), two.next()])
    faults.before = failOn('PRAGMA data_version')

    ticker.tick()

    expect(await failing).toMatchObject([{ reason: { code: 'io' } }, { reason: { code: 'io' } }])
    expect(ticker.running).toBe(0)
    faults.before = undefined
    const next = watch({ after: 1 }).next()
    await appendIds(owner, lease, 'two')
    ticker.tick()
    expect((await next).value).toBe(2)
  })

  it('tells of its own group whose commit seemed to fail, once it has opened the file again', async () => {
    const { store, faults, ticker, watch } = await watched()
    const lease = await store.leases.acquire('b')
    const tips = watch({ session: 'b' })
    const next = tips.next()
    ticker.tick()
    faults.after = failOn('COMMIT')
    expect((await appendIds(store, lease, 'one')).outcome).toBe('unknown')
    faults.after = undefined

    ticker.tick()

    expect((await next).value).toBe(1)
  })

  it('keeps no transaction open between looks, so that the log can be emptied', async () => {
    const { path, owner, lease, ticker, watch } = await watched()
    await watch().next()
    await appendIds(owner, lease, 'two')
    ticker.tick()

    expect(openBeside(path).all('PRAGMA wal_checkpoint(TRUNCATE)')[0]?.[0]).toBe(0)
  })

  it('looks no more after close', async () => {
    const { store, ticker, watch } = await watched()
    const [next] = await Promise.allSettled([watch({ after: 1 }).next(), store.close()])

    expect(next).toMatchObject({ status: 'rejected', reason: { code: 'closed' } })
    expect(ticker.running).toBe(0)
  })
})
