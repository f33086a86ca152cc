import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { newRecord } from '../../src/testing.ts'
import { appendIds, openStore, storePath } from '../support/sqlite-fixture.ts'
import { bundleChild, type ChildRole, type StoreChild, startChild } from '../support/store-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const bundle = tempFolder()
let script = ''
beforeAll(async () => {
  script = await bundleChild(bundle.path)
})
afterAll(() => bundle[Symbol.dispose]())

function start(role: ChildRole, path: string): StoreChild {
  const child = startChild(script, role, path, 'a')
  onTestFinished(() => child.kill('SIGKILL'))
  return child
}

const ids = Array.from({ length: 50 }, (_, index) => `in/${index}`)

describe('sqliteStore with an owner in another process', () => {
  it('takes inputs without an epoch, which the owner sees and ends; both watch', async () => {
    const path = storePath()
    await start('serve', path).next()
    const store = openStore(path)

    for (const id of ids) {
      const answer = await store.ledger.append({ session: 'a', records: [newRecord(id, '{}', 'input')] })
      expect(answer.outcome).toBe('ok')
    }
    for await (const tip of store.ledger.watch({ session: 'a', after: 0 })) if (tip === 1 + 2 * ids.length) break

    const records = await store.ledger.read({ session: 'a', after: 0, limit: 1_000 })
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1))
    expect(new Set(records.map(({ id }) => id))).toEqual(new Set(['begun', ...ids.flatMap((id) => [id, `${id}/end`])]))
    await expect(store.leases.acquire('a')).rejects.toMatchObject({ code: 'lease_held' })
  })

  it('gives the end of each input to the owner or to the one who cancels it here, never to both', async () => {
    const path = storePath()
    await start('serve', path).next()
    const { ledger } = openStore(path)

    const cancelled: string[] = []
    for (const id of ids) {
      await ledger.append({ session: 'a', records: [newRecord(id, '{}', 'input')] })
      const answer = await ledger.append({ session: 'a', records: [newRecord(`${id}/end`, '"cancelled"')] })
      if (answer.outcome === 'ok') cancelled.push(`${id}/end`)
      else expect(answer).toEqual({ outcome: 'slot_taken', ids: [`${id}/end`] })
    }
    for await (const tip of ledger.watch({ session: 'a', after: 0 })) if (tip === 1 + 2 * ids.length) break

    const records = await ledger.read({ session: 'a', after: 0, limit: 1_000 })
    const kept = records.filter(({ body }) => body === '"cancelled"').map(({ id }) => id)
    expect(kept).toEqual(cancelled)
  })

  it('leaves a wake behind when the owner is killed, so that the input is found', async () => {
    const path = storePath()
    const owner = start('serve', path)
    await owner.next()
    owner.kill('SIGSTOP')
    const store = openStore(path, { clock: () => 5_000 })
    await store.ledger.append({ session: 'a', records: [newRecord('in/1', '{}', 'input')] })
    owner.kill('SIGKILL')
    await owner.exited()

    const [entry] = await store.ledger.list()

    expect(entry).toMatchObject({ session: 'a', tip: 2, wakeAt: 5_000 })
    expect(await store.leases.isHeld('a')).toBe(false)
  })
})

describe('sqliteStore with others in other processes', () => {
  it('tells a watcher every growth, at last all of it, while another process appends at full speed', async () => {
    const path = storePath()
    const store = openStore(path)
    start('append', path)

    const told: number[] = []
    for await (const tip of store.ledger.watch({ session: 'a', after: 0 })) {
      told.push(tip)
      if (tip === 400) break
    }

    expect(told).toEqual([...new Set(told)].sort((a, b) => a - b))
    expect(told.every((tip) => tip % 2 === 0)).toBe(true)
  })

  it('tells within two seconds of what another process has acknowledged', async () => {
    const path = storePath()
    const store = openStore(path)
    const tips = store.ledger.watch({ session: 'a', after: 0 })[Symbol.asyncIterator]()
    const first = tips.next()
    const child = start('serve', path)
    await child.next()
    const ackedAt = performance.now()

    expect((await first).value).toBe(1)
    expect(performance.now() - ackedAt).toBeLessThan(2_000)
    await tips.return?.()
  })

  it('gives each slot to one of three processes', async () => {
    const path = storePath()
    const store = openStore(path)
    await appendIds(store, await store.leases.acquire('a'), 'begun')
    const children = ['race', 'race', 'race'].map(() => start('race', path))

    const winners: unknown[] = []
    const outcomes = new Set<unknown>()
    for (const child of children) {
      for (let line = await child.next(); line !== undefined; line = await child.next()) {
        const { slot, outcome } = line
        outcomes.add(outcome)
        if (outcome === 'ok') winners.push(`slot/${slot}:${child.process.pid}`)
      }
    }

    const records = (await store.ledger.read({ session: 'a', after: 1, limit: 1_000 })).map(
      ({ id, body }) => `${id}:${JSON.parse(body).pid}`,
    )
    expect(outcomes).toEqual(new Set(['ok', 'slot_taken']))
    expect(records.length).toBe(300)
    expect(records.sort()).toEqual(winners.sort())
  })

  it('keeps no process alive by a watch', async () => {
    const path = storePath()
    const store = openStore(path)
    await appendIds(store, await store.leases.acquire('a'), 'begun')
    const child = start('watch', path)

    expect(await child.next()).toEqual({ tip: 1 })
    expect(await child.next()).toBeUndefined()
    await child.exited()
    expect(child.process.exitCode).toBe(0)
  })
})
