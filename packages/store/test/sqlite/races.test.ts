import { expect, it } from 'vitest'

import { newRecord } from '../../src/testing.ts'
import { appendIds, openStore, storePath } from '../support/sqlite-fixture.ts'

it('gives each of 1,000 slots to one of two connections that append without an epoch at once', async () => {
  const path = storePath()
  const [one, two] = [openStore(path), openStore(path)]
  await appendIds(one, await one.leases.acquire('a'), 'begun')

  for (let race = 1; race <= 1_000; race += 1) {
    const id = `gate/${race}/end`
    // The first to be called has the advantage, so it changes.
    const [first, second] = race % 2 === 0 ? [one, two] : [two, one]
    const answers = await Promise.all([
      first.ledger.append({ session: 'a', records: [newRecord(id, '"first"')] }),
      second.ledger.append({ session: 'a', records: [newRecord(id, '"second"')] }),
    ])
    expect(answers.map((answer) => answer.outcome).sort()).toEqual(['ok', 'slot_taken'])
    expect(answers).toContainEqual({ outcome: 'slot_taken', ids: [id] })
    const winner = answers[0]?.outcome === 'ok' ? '"first"' : '"second"'
    const [kept] = await one.ledger.read({ session: 'a', after: race, limit: 1 })
    expect(kept).toMatchObject({ seq: race + 1, id, body: winner })
  }

  expect((await two.ledger.find('a'))?.tip).toBe(1_001)
})
