import { cpSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'

import type { Lease, Store } from '../../src/index.ts'
import { newRecord } from '../../src/testing.ts'
import { type Faults, faultyDriver } from '../support/faulty-driver.ts'
import { smallDisk } from '../support/small-disk.ts'
import { appendIds, idsOf, openStore, storePath } from '../support/sqlite-fixture.ts'
import { tempFolder } from '../support/temp-folder.ts'

const mounts = (() => {
  const disk = smallDisk(64)
  disk?.[Symbol.dispose]()
  return disk !== undefined
})()

function appendBytes(store: Store, { session, epoch }: Lease, id: string, bytes: number) {
  return store.ledger.append({ session, epoch, records: [newRecord(id, 'x'.repeat(bytes))] })
}

// Mounting needs the rights of root; the other block makes SQLite itself refuse to grow and runs everywhere.
describe.skipIf(!mounts)('sqliteStore on a disk without space', () => {
  async function onFullDisk(freeBytes: number) {
    const disk = smallDisk(600) ?? tempFolder()
    onTestFinished(() => disk[Symbol.dispose]())
    const store = openStore(disk.file('sessions.db'))
    const lease = await store.leases.acquire('a')
    await appendIds(store, lease, 'one')
    const { bavail, bsize } = statfsSync(disk.path)
    writeFileSync(disk.file('rest'), Buffer.alloc(bavail * bsize - freeBytes))
    return { disk, store, lease }
  }

  it('throws full, and takes the same group when there is space again', async () => {
    const { disk, store, lease } = await onFullDisk(8_192)
    await expect(appendBytes(store, lease, 'two', 20_000)).rejects.toMatchObject({ code: 'full' })
    expect(await idsOf(store)).toEqual(['one'])
    rmSync(disk.file('rest'))

    const again = await appendBytes(store, lease, 'two', 20_000)

    expect(again.outcome).toBe('ok')
    expect(await idsOf(store)).toEqual(['one', 'two'])
  })

  it.each([0, 4, 8, 12, 16, 20, 24, 28])(
    'leaves nothing in the log of a group that ran out of space after %i KiB',
    async (kibibytes) => {
      const { disk, store, lease } = await onFullDisk(kibibytes * 1_024)
      const appended = await appendBytes(store, lease, 'two', 20_000).then(
        (answer) => answer.outcome,
        (error) => error.code,
      )
      const rescue = tempFolder()
      onTestFinished(() => rescue[Symbol.dispose]())
      for (const end of ['', '-wal']) cpSync(disk.file(`sessions.db${end}`), rescue.file(`sessions.db${end}`))

      const recovered = await idsOf(openStore(rescue.file('sessions.db')))

      expect(recovered).toEqual(appended === 'ok' ? ['one', 'two'] : ['one'])
      expect(['ok', 'full']).toContain(appended)
    },
  )
})

describe('sqliteStore on a file that may not grow', () => {
  it('throws full and keeps what it has', async () => {
    const faults: Faults = { opened: 0, setup: 'PRAGMA max_page_count = 20' }
    const store = openStore(storePath(), {}, faultyDriver(faults))
    const lease = await store.leases.acquire('a')
    await appendIds(store, lease, 'one')

    const [large, small] = await Promise.allSettled([
      appendBytes(store, lease, 'large', 400_000),
      appendBytes(store, lease, 'small', 100),
    ])

    expect(large).toMatchObject({ status: 'rejected', reason: { code: 'full' } })
    expect(small).toMatchObject({ status: 'fulfilled', value: { outcome: 'ok' } })
    expect(await idsOf(store)).toEqual(['one', 'small'])
  })
})
