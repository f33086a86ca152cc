import { describe, expect, it } from 'vitest'

import { newRecord } from '../../src/testing.ts'
import { appendIds, openBeside, openStore, storePath } from '../support/sqlite-fixture.ts'

async function damagedBy(sql: string) {
  const path = storePath()
  const store = openStore(path)
  const lease = await store.leases.acquire('a')
  await appendIds(store, lease, 'one', 'two')
  const { session, epoch } = lease
  await store.ledger.append({ session, epoch, records: [newRecord('long', 'x'.repeat(300 * 1024))] })
  openBeside(path).exec(sql)
  return store.ledger
}

describe('sqliteStore with a damaged record', () => {
  it.each([
    ['a flipped byte in a body', "UPDATE records SET body = replace(body, 't', 'u') WHERE seq = 2", 2],
    ['a flipped byte in a long body', "UPDATE contents SET body = 'y' || substr(body, 2)", 3],
    ['a body that ends early', "UPDATE records SET body = '{' WHERE seq = 1", 1],
    ['another digest', "UPDATE records SET digest = replace(digest, substr(digest, 1, 1), 'g') WHERE seq = 2", 2],
    ['a kind that is none', "UPDATE records SET kind = 'evens' WHERE seq = 2", 2],
    ['a long body that is gone', 'DELETE FROM contents', 3],
    ['a record that is gone in the middle', 'DELETE FROM records WHERE seq = 2', 2],
    ['a record that is gone at the end', 'DELETE FROM records WHERE seq = 3', 3],
    ['no record at all', 'DELETE FROM records', 1],
  ])('throws corrupt with the seq for %s', async (_, sql, seq) => {
    const ledger = await damagedBy(sql)

    const reading = ledger.read({ session: 'a', after: 0, limit: 10 })

    await expect(reading).rejects.toMatchObject({ code: 'corrupt', session: 'a', seq })
  })

  it('says nothing of the content', async () => {
    const ledger = await damagedBy("UPDATE records SET body = 'SENTINEL' WHERE seq = 2")

    const error = await ledger.read({ session: 'a', after: 0, limit: 10 }).catch((thrown) => thrown)

    expect(error.message).toBe('record 2 is corrupt: its body does not fit its digest')
    expect(JSON.stringify(error)).not.toContain('SENTINEL')
  })

  it('still reads the records before it', async () => {
    const ledger = await damagedBy("UPDATE records SET body = '{' WHERE seq = 2")

    const page = await ledger.read({ session: 'a', after: 0, limit: 1 })

    expect(page.map((record) => record.id)).toEqual(['one'])
  })
})
