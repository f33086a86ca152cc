import { describe, expect, it } from 'vitest'

import type { AppendRequest, Store, StoredRecord } from '../../src/index.ts'
import { type Breakage, failingRules } from '../support/broken-store.ts'

/** Every read passes its records through `change`. */
function readingThrough(change: (records: readonly StoredRecord[]) => readonly StoredRecord[]): Breakage {
  return ({ ledger }) => ({ ledger: { read: async (request) => change(await ledger.read(request)) } })
}

/** Every append is passed through `change` before it is made. */
function appendingThrough(change: (request: AppendRequest, store: Store) => AppendRequest): Breakage {
  return (store) => ({ ledger: { append: (request) => store.ledger.append(change(request, store)) } })
}

describe('runStoreContract', () => {
  it('passes a store that is not broken', async () => {
    expect(await failingRules(() => ({}))).toEqual([])
  })

  it('notices an append that is not all or nothing', async () => {
    const failing = await failingRules(({ ledger }) => ({
      ledger: {
        async append(request) {
          for (const record of request.records.slice(0, -1)) await ledger.append({ ...request, records: [record] })
          return ledger.append(request)
        },
      },
    }))

    expect(failing).toContain('writes nothing of a group that is there in part')
  })

  it('notices a repeated group that is not answered ok', async () => {
    const failing = await failingRules(({ ledger }) => ({
      ledger: {
        async append(request) {
          const before = (await ledger.find(request.session))?.tip
          const answer = await ledger.append(request)
          const repeated = (await ledger.find(request.session))?.tip === before
          return answer.outcome === 'ok' && repeated ? { outcome: 'slot_taken', ids: [] } : answer
        },
      },
    }))

    expect(failing).toContain('answers the same ok again when a whole group is sent again')
  })

  it('notices a writer that is not fenced', async () => {
    const epochs = new Map<string, number>()
    const failing = await failingRules(({ ledger, leases }) => ({
      leases: {
        async acquire(session) {
          const lease = await leases.acquire(session)
          epochs.set(session, lease.epoch)
          return lease
        },
      },
      ledger: { append: (request) => ledger.append({ ...request, epoch: epochs.get(request.session) ?? 1 }) },
    }))

    expect(failing).toEqual(
      expect.arrayContaining([
        'fences a writer with a lower epoch, also when it repeats its own group',
        'fences a writer with a higher epoch',
      ]),
    )
  })

  it('notices gaps in seq', async () => {
    const failing = await failingRules(readingThrough((records) => records.map((r) => ({ ...r, seq: 2 * r.seq }))))

    expect(failing).toContain('numbers records 1, 2, 3 across groups without a gap')
  })

  it('notices bodies that end at U+0000', async () => {
    const failing = await failingRules(
      readingThrough((records) => records.map((r) => ({ ...r, body: r.body.split('\0', 1).join() }))),
    )

    expect(failing).toContain('gives back a body with U+0000')
  })

  it('notices bodies that were parsed and written again', async () => {
    const rewritten = (body: string) => (body.startsWith('{ ') ? JSON.stringify(JSON.parse(body)) : body)
    const failing = await failingRules(
      readingThrough((records) => records.map((r) => ({ ...r, body: rewritten(r.body) }))),
    )

    expect(failing).toEqual(['gives back a body whose keys are not in order and that has odd spaces'])
  })

  it('notices a head that an append without one empties', async () => {
    const failing = await failingRules(appendingThrough((request) => ({ ...request, head: request.head ?? '' })))

    expect(failing).toEqual(['replaces the head, keeps it when none is given, and takes an empty one'])
  })

  it('notices pages in another order and pages that repeat', async () => {
    const reversed = await failingRules(readingThrough((records) => records.toReversed()))
    const repeated = await failingRules(({ ledger }) => ({
      ledger: { read: (request) => ledger.read({ ...request, after: Math.max(0, request.after - 1) }) },
    }))

    expect(reversed).toContain('reads pages after a seq, in order, and an empty one at the end')
    expect(repeated).toContain('reads pages after a seq, in order, and an empty one at the end')
  })

  it('notices a list in another order', async () => {
    const failing = await failingRules(({ ledger }) => ({
      ledger: { list: async () => (await ledger.list()).toReversed() },
    }))

    expect(failing).toEqual(['lists the last active first'])
  })

  it('notices an owner that is not seen', async () => {
    const failing = await failingRules(() => ({ leases: { isHeld: async () => false } }))

    expect(failing).toContain('says that a lease is held from acquire to release, and of no other session')
  })

  it('notices a second owner', async () => {
    const failing = await failingRules(({ leases }) => ({
      leases: {
        async acquire(session) {
          const lease = await leases.acquire(session)
          await lease.release()
          return lease
        },
      },
    }))

    expect(failing).toContain('refuses a second owner while the first one lives')
  })

  it('notices a request that is not checked', async () => {
    const failing = await failingRules(
      appendingThrough((request) => ({ ...request, records: request.records.slice(0, 1_000) })),
    )

    expect(failing).toContain('takes 1,000 records and refuses 1,001')
  })
})
