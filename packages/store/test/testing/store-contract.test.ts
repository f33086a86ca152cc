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

  it('notices appends without an epoch that are refused, or taken where nothing was begun', async () => {
    const refused = await failingRules(({ ledger }) => ({
      ledger: {
        append: async (request) => (request.epoch === undefined ? { outcome: 'fenced' } : ledger.append(request)),
      },
    }))
    const begun = await failingRules(({ ledger, leases }) => ({
      ledger: {
        async append(request) {
          if (request.epoch !== undefined || (await ledger.find(request.session))?.tip !== 0)
            return ledger.append(request)
          const { epoch } = await leases.acquire('other')
          await ledger.append({ ...request, session: 'other', epoch })
          return { outcome: 'ok', records: [] }
        },
      },
    }))

    expect(refused).toContain('takes an append without an epoch beside an owner, who goes on behind it')
    expect(begun).toEqual(['fences an append without an epoch to a session that has no record yet'])
  })

  it('notices a wake that is lost', async () => {
    const unseen = await failingRules(appendingThrough(({ seen: _, ...request }) => request))
    const outside = await failingRules(
      appendingThrough((request) =>
        request.epoch === undefined && request.wakeAt === undefined ? { ...request, wakeAt: null } : request,
      ),
    )

    expect(unseen).toContain('does not lose a wake that the writer has not seen, and may make it earlier')
    expect(outside).toContain('wakes a session at the time of an append without an epoch, unless it wakes earlier')
  })

  it('notices another clock', async () => {
    const failing = await failingRules(() => ({ ledger: { now: async () => Date.now() } }))

    expect(failing).toContain('tells the time by the clock that stamps records, in whole milliseconds')
  })

  it('notices a watch that repeats what was told', async () => {
    const failing = await failingRules(({ ledger }) => ({
      ledger: { watch: (request) => ledger.watch({ ...request, after: 0 }) },
    }))

    expect(failing).toContain('tells a watcher that waits, by owners and others, once for each group')
  })

  it('notices a watch that keeps more than the latest tip', async () => {
    const rule = 'keeps only the latest tip for a watcher that is busy'
    const failing = await failingRules(
      ({ ledger }) => ({
        ledger: {
          async *watch({ after, ...request }) {
            let told = after
            for await (const tip of ledger.watch({ ...request, after })) while (told < tip) yield ++told
          },
        },
      }),
      [rule],
    )

    expect(failing).toEqual([rule])
  })

  it('notices a watch that ends by itself', async () => {
    const rule = 'tells a watcher that waits, by owners and others, once for each group'
    const failing = await failingRules(
      ({ ledger }) => ({
        ledger: {
          async *watch(request) {
            for await (const tip of ledger.watch(request)) return yield tip
          },
        },
      }),
      [rule],
    )

    expect(failing).toEqual([rule])
  })

  it('notices a watch that hears no signal', async () => {
    const rule = 'begins no watch whose signal has aborted'
    const failing = await failingRules(
      ({ ledger }) => ({ ledger: { watch: ({ session, after }) => ledger.watch({ session, after }) } }),
      [rule],
    )

    expect(failing).toEqual([rule])
  })

  it('notices a watch that says nothing of the close', async () => {
    const rule = 'throws closed to those who watch when the store closes'
    const failing = await failingRules(
      ({ ledger }) => ({
        ledger: {
          async *watch(request) {
            try {
              yield* ledger.watch(request)
            } catch {
              return
            }
          },
        },
      }),
      [rule],
    )

    expect(failing).toEqual([rule])
  })
})
