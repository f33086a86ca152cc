import { StoreError } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { newRecord, runStoreContract } from '@looprig/store/testing'
import { describe, expect, it } from 'vitest'
import { type FaultPlan, faultAt, faultFrom, faultyStore } from '../../src/testing.ts'

/** A faulty store with one leased session. */
async function openFaulty(plan: FaultPlan) {
  const plain = memoryStore()
  const store = faultyStore(plain, plan)
  const { session, epoch } = await store.leases.acquire('a')
  const append = (id: string) => store.ledger.append({ session, epoch, records: [newRecord(id)] })
  const written = async () => (await plain.ledger.read({ session, after: 0, limit: 10 })).map((record) => record.id)
  return { store, append, written }
}

describe('faultyStore', () => {
  it('refuses the planned append only, and writes nothing of it', async () => {
    const { store, append, written } = await openFaulty(faultAt(2, { kind: 'refused' }))

    await append('1')
    await expect(append('2')).rejects.toMatchObject({ name: 'StoreError', code: 'io' })
    await append('3')

    expect(await written()).toEqual(['1', '3'])
    expect(store.appends.map(({ records }) => records[0]?.id)).toEqual(['1', '2', '3'])
  })

  it('refuses with the error of the plan, from one append on', async () => {
    const full = new StoreError('full', 'no space left')
    const { append, written } = await openFaulty(faultFrom(2, { kind: 'refused', error: full }))

    await append('1')

    await expect(append('2')).rejects.toBe(full)
    await expect(append('3')).rejects.toBe(full)
    expect(await written()).toEqual(['1'])
  })

  it.each([
    [true, ['1']],
    [false, []],
  ])('answers unknown; written: %s', async (isWritten, ids) => {
    const { append, written } = await openFaulty(faultAt(1, { kind: 'unknown', written: isWritten }))

    expect(await append('1')).toMatchObject({ outcome: 'unknown' })

    expect(await written()).toEqual(ids)
  })

  it('writes and never answers', async () => {
    const { append, written } = await openFaulty(faultAt(1, { kind: 'unanswered' }))

    const first = await Promise.race([append('1'), new Promise((resolve) => setImmediate(() => resolve('nothing')))])

    expect(first).toBe('nothing')
    expect(await written()).toEqual(['1'])
  })

  it('waits for the hooks before and after it writes', async () => {
    const seen: (readonly string[])[] = []
    const look = async () => void seen.push(await written())
    const { append, written } = await openFaulty(faultAt(1, { kind: 'hooked', before: look, after: look }))

    expect(await append('1')).toMatchObject({ outcome: 'ok' })

    expect(seen).toEqual([[], ['1']])
  })
})

runStoreContract(
  { describe, it },
  {
    name: 'faultyStore without a fault',
    reopens: false,
    open: (clock) => ({ store: faultyStore(memoryStore({ clock }), () => undefined) }),
  },
)
