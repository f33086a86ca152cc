import { textOf } from '@looprig/core'
import { StoreError } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { SessionFaultedError } from '../../src/index.ts'
import { type FaultPlan, fakeClock, faultAt, faultFrom, faultyStore, recordSession } from '../../src/testing.ts'
import { aborted, act, actTool, smallRig } from './small-rig.ts'
import { readRecords, type StoreKind, storeKinds } from './stores.ts'

const full = new StoreError('full', 'no space left')

/** A session whose tool runs until it is aborted; append 4, a second input, goes by plan. */
async function failDuringTool(kind: StoreKind, plan: FaultPlan) {
  const plain = kind.open()
  const store = faultyStore(plain, plan)
  const ends: string[] = []
  const tool = actTool(async (signal) => {
    await aborted(signal)
    ends.push('aborted')
  })
  const session = await smallRig(store, { responses: [act], tools: [tool] }).newSession()
  const recording = recordSession(session)
  const first = session.submit('first')
  await recording.waitFor('ToolCallStarted')
  const [history, seen] = [session.history(), recording.deliveries.length]
  const second = session.submit('second')
  const accepted = await second.accepted.catch((error: unknown) => error)
  return { plain, store, ends, session, recording, first, second, accepted, history, seen }
}

describe.each(storeKinds)('an append that $name refuses', (kind) => {
  const plan = faultAt(4, { kind: 'refused', error: full })

  it('faults the session with the reason, and settles what waits', async () => {
    const { session, recording, first, second, accepted } = await failDuringTool(kind, plan)

    expect(session.fault).toBeInstanceOf(SessionFaultedError)
    expect(session.fault).toMatchObject({ code: 'session_faulted', reason: 'store_failed', cause: full })
    expect(accepted).toBe(session.fault)
    await expect(first.result()).rejects.toBe(session.fault)
    await expect(second.result()).rejects.toBe(session.fault)
    await expect(session.waitIdle()).rejects.toBe(session.fault)
    expect(await recording.ended).toBe(session.fault)
  })

  it('delivers nothing and changes no history', async () => {
    const { plain, session, recording, history, seen } = await failDuringTool(kind, plan)

    await session.shutdown()

    expect(session.history()).toEqual(history)
    await recording.ended
    expect(recording.deliveries.slice(seen)).toEqual([])
    expect(await readRecords(plain, session.id)).toHaveLength(8)
  })

  it('aborts the tools, and appends nothing more', async () => {
    const { session, store, ends } = await failDuringTool(kind, plan)

    await session.shutdown()

    expect(ends).toEqual(['aborted'])
    expect(store.appends).toHaveLength(4)
  })

  it('has every later call refused', async () => {
    const { session, store } = await failDuringTool(kind, plan)

    const late = session.submit('late')

    await expect(late.accepted).rejects.toBe(session.fault)
    await expect(late.result()).rejects.toBe(session.fault)
    expect(store.appends).toHaveLength(4)
    const events = session.subscribe()
    await expect(events.next()).rejects.toBe(session.fault)
  })

  it('is recovered from by a restore, without a shutdown before', async () => {
    const { plain, session, ends } = await failDuringTool(kind, plan)
    while (await plain.leases.isHeld(session.id)) await new Promise((resolve) => setImmediate(resolve))

    const restored = await smallRig(plain, { seed: 1, tools: [actTool(() => undefined)] }).restoreSession(session.id)

    expect(ends).toEqual(['aborted'])
    const [, , result] = restored.history()
    expect(textOf(result?.blocks ?? [])).toMatch(/^outcome_unknown/)
    expect(restored.history()).toHaveLength(3)
    await session.shutdown()
    await restored.shutdown()
  })
})

describe.each(storeKinds)('an append of unknown outcome on $name', (kind) => {
  it.each([true, false])('is sent again until the answer is definite; the first one written: %s', async (written) => {
    const clock = fakeClock()
    const store = faultyStore(kind.open(), (number) => (number < 5 ? { kind: 'unknown', written } : undefined))
    const creating = smallRig(store, { responses: [{ text: 'Hi.' }], clock }).newSession()
    while (store.appends.length < 5) {
      await clock.whenPending()
      await clock.advance(25)
    }
    const session = await creating

    const { status } = await session.submit('go').result()
    await session.shutdown()

    expect(status).toBe('done')
    expect(new Set(store.appends.slice(0, 5).map((request) => JSON.stringify(request))).size).toBe(1)
    expect((await readRecords(store, session.id)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('is sent again with growing waits', async () => {
    const clock = fakeClock()
    const sentAt: number[] = []
    const store = faultyStore(kind.open(), (number) => {
      sentAt.push(clock.now())
      return number < 8 ? { kind: 'unknown', written: true } : undefined
    })
    const creating = smallRig(store, { clock }).newSession()

    while (sentAt.length < 8) {
      await clock.whenPending()
      await clock.advance(25)
    }

    await (await creating).shutdown()
    const waits = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0))
    expect(waits).toEqual([25, 50, 100, 200, 400, 800, 1_000])
  })

  it('delivers the group once', async () => {
    const clock = fakeClock()
    const store = faultyStore(kind.open(), faultAt(3, { kind: 'unknown', written: true }))
    const session = await smallRig(store, { responses: [{ text: 'Hi.' }], clock }).newSession()
    const recording = recordSession(session)
    const result = session.submit('go').result()
    await clock.whenPending()
    await clock.advance(25)

    await result
    await session.shutdown()

    await recording.ended
    expect(recording.events('TurnDone')).toHaveLength(1)
    expect(session.history()).toHaveLength(2)
  })

  it('faults the session after ten seconds, and a restore finds what was written', async () => {
    const clock = fakeClock()
    const plain = kind.open()
    const store = faultyStore(plain, faultFrom(3, { kind: 'unknown', written: true }))
    const session = await smallRig(store, { responses: [{ text: 'Hi.' }], clock }).newSession()
    const startedAt = clock.now()
    const failed = session
      .submit('go')
      .result()
      .catch((error: unknown) => error)
    while (session.fault === undefined) await Promise.race([failed, clock.whenPending().then(() => clock.advance(25))])

    expect(await failed).toMatchObject({ code: 'session_faulted', reason: 'outcome_unknown' })
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(10_000)
    expect(clock.now() - startedAt).toBeLessThan(12_000)
    expect(session.history()).toHaveLength(1)
    await session.shutdown()
    const restored = await smallRig(plain, { seed: 1 }).restoreSession(session.id)
    expect(restored.history()).toHaveLength(2)
    await restored.shutdown()
  })
})

describe('an append of unknown outcome that is then refused', () => {
  it('stays unknown: the first try may have been written', async () => {
    const clock = fakeClock()
    const plan: FaultPlan = (number) =>
      number === 3 ? { kind: 'unknown', written: true } : number === 4 ? { kind: 'refused' } : undefined
    const store = faultyStore(memoryStore(), plan)
    const session = await smallRig(store, { responses: [{ text: 'Hi.' }], clock }).newSession()
    const failed = session
      .submit('go')
      .result()
      .catch((error: unknown) => error)
    await clock.whenPending()
    await clock.advance(25)

    expect(await failed).toMatchObject({ code: 'session_faulted', reason: 'outcome_unknown' })

    await session.shutdown()
  })
})

describe.each(storeKinds)('an owner that was fenced on $name', (kind) => {
  it('has its next append refused, and stops', async () => {
    const plain = kind.open()
    const stale = { ...plain, leases: { ...plain.leases, acquire: acquireAndLose } }
    /** Takes the lease and gives it up at once, unnoticed, as a paused process loses it. */
    async function acquireAndLose(name: string) {
      const lease = await plain.leases.acquire(name)
      await lease.release()
      return lease
    }
    const owner = await smallRig(stale, { responses: [{ text: 'Hi.' }] }).newSession()
    const second = await smallRig(plain, { seed: 1 }).restoreSession(owner.id)

    const failed = await owner
      .submit('go')
      .result()
      .catch((error: unknown) => error)

    expect(failed).toMatchObject({ code: 'session_faulted', reason: 'fenced' })
    expect(await readRecords(plain, owner.id)).toHaveLength(2)
    await owner.shutdown()
    expect(second.fault).toBeUndefined()
    await second.shutdown()
  })

  it('stops when its lease is known to be lost, and runs no further tool', async () => {
    const plain = kind.open()
    const lost = new AbortController()
    const leases = {
      isHeld: (name: string) => plain.leases.isHeld(name),
      acquire: async (name: string) => ({ ...(await plain.leases.acquire(name)), lost: lost.signal }),
    }
    let ran = false
    const tool = actTool(() => {
      ran = true
    })
    const store = { ...faultyStore(plain, faultAt(3, { kind: 'hooked', after: () => lost.abort() })), leases }
    const session = await smallRig(store, { responses: [act], tools: [tool] }).newSession()

    const failed = await session
      .submit('go')
      .result()
      .catch((error: unknown) => error)

    expect(failed).toMatchObject({ code: 'session_faulted', reason: 'lease_lost' })
    await session.shutdown()
    expect(ran).toBe(false)
    expect(await plain.leases.isHeld(session.id)).toBe(false)
  })
})

describe.each(storeKinds)('a new session that $name cannot write', (kind) => {
  it('is refused with the error of the store, and holds no lease', async () => {
    const store = faultyStore(kind.open(), faultAt(1, { kind: 'refused', error: full }))

    await expect(smallRig(store).newSession()).rejects.toBe(full)

    const [entry] = await store.ledger.list()
    expect(entry?.tip).toBe(0)
    expect(await store.leases.isHeld(entry?.session ?? '')).toBe(false)
  })
})
