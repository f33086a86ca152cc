import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { openStore, storePath } from '../support/sqlite-fixture.ts'
import { bundleChild, type ChildRole, type StoreChild, startChild } from '../support/store-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const bundle = tempFolder()
let script = ''
beforeAll(async () => {
  script = await bundleChild(bundle.path)
})
afterAll(() => bundle[Symbol.dispose]())

function start(role: ChildRole, path: string, session = 'a'): StoreChild {
  const child = startChild(script, role, path, session)
  onTestFinished(() => child.kill('SIGKILL'))
  return child
}

describe('sqliteStore with an owner in another process', () => {
  it('refuses the lease, here and there, while the owner lives', async () => {
    const path = storePath()
    const owner = start('hold', path)
    await owner.next()
    const store = openStore(path)

    const here = store.leases.acquire('a')

    await expect(here).rejects.toMatchObject({ code: 'lease_held', session: 'a' })
    expect(await store.leases.isHeld('a')).toBe(true)
    expect(await start('ask', path).next()).toEqual({ code: 'lease_held' })
  })

  it('gives the lease within a second of a SIGKILL, with the next epoch', async () => {
    const path = storePath()
    const owner = start('hold', path)
    expect(await owner.next()).toEqual({ epoch: 1 })
    const store = openStore(path)
    owner.kill('SIGKILL')
    await owner.exited()
    const killedAt = performance.now()

    const lease = await store.leases.acquire('a')

    expect(lease.epoch).toBe(2)
    expect(performance.now() - killedAt).toBeLessThan(1_000)
  })

  it('refuses the lease while the owner is stopped', async () => {
    const path = storePath()
    const owner = start('hold', path)
    await owner.next()
    const store = openStore(path)

    owner.kill('SIGSTOP')

    await expect(store.leases.acquire('a')).rejects.toMatchObject({ code: 'lease_held' })
    expect(await store.leases.isHeld('a')).toBe(true)
  })

  it('keeps its own lease against other processes when a second acquire and another store are refused here', async () => {
    const path = storePath()
    const store = openStore(path)
    await store.leases.acquire('a')
    await expect(store.leases.acquire('a')).rejects.toMatchObject({ code: 'lease_held' })
    const other = openStore(path)
    await expect(other.leases.acquire('a')).rejects.toMatchObject({ code: 'lease_held' })
    await other.close()

    expect(await start('ask', path).next()).toEqual({ code: 'lease_held' })
  })

  it('gives the lease while another process looks whether it is held', async () => {
    const path = storePath()
    const store = openStore(path)
    await (await store.leases.acquire('a')).release()
    const looker = start('look', path)
    await looker.next()

    for (let epoch = 2; epoch <= 50; epoch += 1) {
      const lease = await store.leases.acquire('a')
      expect(lease.epoch).toBe(epoch)
      await lease.release()
    }
  })
})

describe('sqliteStore with writers in several processes', () => {
  it('makes one store when several processes open a new path at once', async () => {
    const path = storePath()

    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => start('ask', path, name).next()))

    expect(answers).toEqual(answers.map(() => ({ code: 'acquired' })))
  })

  it('loses none of the appends of two processes to two sessions', async () => {
    const path = storePath()
    const children = [start('append', path, 'a'), start('append', path, 'b')]

    await Promise.all(children.map((child) => child.exited()))

    const store = openStore(path)
    const entries = await store.ledger.list()
    expect(entries.map(({ session, tip }) => [session, tip]).sort()).toEqual([
      ['a', 400],
      ['b', 400],
    ])
  })

  it.each([3, 20, 60])(
    'has every acknowledged group whole after a SIGKILL behind the ack of number %i',
    async (acks) => {
      const path = storePath()
      const owner = start('append', path)
      const acked: unknown[] = []
      while (acked.length < acks) acked.push(await owner.next())
      owner.kill('SIGKILL')
      for (let line = await owner.next(); line !== undefined; line = await owner.next()) acked.push(line)

      const store = openStore(path)
      const records = await store.ledger.read({ session: 'a', after: 0, limit: 1_000 })

      const groups = records.filter((record) => !record.id.endsWith('/end')).map(({ id, seq }) => ({ id, seq }))
      expect(groups.slice(0, acked.length)).toEqual(acked)
      expect(records.length).toBe(2 * groups.length)
      expect((await store.leases.acquire('a')).epoch).toBe(2)
    },
  )
})
