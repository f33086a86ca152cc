import type { GateId } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { fakeClock, recordSession } from '../../src/testing.ts'
import { permissions } from '../gate/open-gates.ts'
import { readRecords } from '../journal/stores.ts'
import { ApprovalWorld, decide } from '../restore/approval-world.ts'
import { eventsOf, expectWhole, readBodies } from '../restore/journal-invariants.ts'
import { delivered, resultTexts } from '../session/open-session.ts'

const hour = 3_600_000
const minute = 60_000

/** Clocks of a worker beside a store whose time is `now`; one that is never advanced is that of a suspended machine. */
const workers = [
  ['an hour ahead', hour],
  ['an hour behind', -hour],
  ['standing still', 0],
] as const

describe.each(workers)('a worker whose clock is %s (31)', (_name, skew) => {
  it('keeps a gate open for as long as the store says, and no longer', async () => {
    const world = new ApprovalWorld()
    const clock = fakeClock(world.now + skew)
    const { session, store } = await world.waiting(['a'], { timeoutMs: minute, clock })
    const expiresAtMs = permissions(session)[0]?.expiresAtMs
    const gateId = permissions(session)[0]?.gateId as GateId
    const left = await world.crash(session, store)
    world.now += minute - 1

    const { session: early } = await world.restore(left, session.id, {
      timeoutMs: minute,
      clock: fakeClock(world.now + skew),
    })
    const open = permissions(early).map((gate) => gate.expiresAtMs)
    const later = await world.crash(early, left)
    world.now += 1
    const { session: late, recording } = await world.restore(later, session.id, { clock: fakeClock(world.now + skew) })
    const refused = await late.answer(gateId, { action: 'approve' }).catch((error: unknown) => error)
    await late.waitIdle()

    expect([expiresAtMs, ...open]).toEqual([1_000_000 + minute, 1_000_000 + minute])
    expect(refused).toMatchObject({ code: 'already_resolved' })
    expect(recording.events('GateResolved')).toMatchObject([{ reason: 'timeout' }])
    expect(world.effects).toEqual([])
  })

  it('takes an answer from elsewhere up to the end of the gate, by the store', async () => {
    const outcomes: unknown[] = []
    for (const early of [1, 0]) {
      const world = new ApprovalWorld()
      const { session, store } = await world.waiting(['a'], { timeoutMs: minute })
      const gateId = permissions(session)[0]?.gateId as GateId
      const left = await world.crash(session, store)
      world.now += minute - early
      const elsewhere = world.rig(left, { clock: fakeClock(world.now + skew) }).mailbox(session.id)
      outcomes.push(await elsewhere.answer(gateId, { action: 'deny' }).catch(({ code }) => code))
    }

    expect(outcomes).toEqual([undefined, 'gate_expired'])
  })

  it('counts the age of an approval by the store', async () => {
    const outcomes: unknown[] = []
    for (const age of [hour, hour + 1]) {
      const world = new ApprovalWorld()
      const { session, store } = await world.waiting(['a', 'b'], { clock: fakeClock(world.now + skew) })
      await decide(session, 'a', 'approve')
      const left = await world.crash(session, store)
      world.now += age
      const { session: restored } = await world.restore(left, session.id, { clock: fakeClock(world.now + skew) })
      await decide(restored, 'b', 'deny')
      await restored.waitIdle()
      outcomes.push(resultTexts(restored.history())[0])
    }

    expect(outcomes).toEqual(['edited a', expect.stringMatching(/^approval_expired/)])
  })

  it('neither takes a session from its owner nor loses its own', async () => {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['a'])
    world.now += 24 * hour

    const refused = await world
      .restore(store, session.id, { clock: fakeClock(world.now + skew) })
      .catch((error: unknown) => error)
    await decide(session, 'a', 'approve')
    await session.waitIdle()

    expect(refused).toMatchObject({ code: 'lease_held' })
    expect(world.effects).toEqual(['a'])
    expect(session.fault).toBeUndefined()
  })
})

describe('a gate of a worker that was suspended past its end (31)', () => {
  it('is closed when the worker goes on, by the time of the store', async () => {
    const world = new ApprovalWorld()
    const clock = fakeClock()
    const { session } = await world.waiting(['a'], { timeoutMs: minute, clock })
    const recording = recordSession(session, { since: 0 })

    // the store's time passes while the worker's stands still; then its timer comes due
    world.now += hour
    await delivered()
    const asleep = session.gates().length
    await clock.advance(minute)
    await session.waitIdle()

    expect(asleep).toBe(1)
    expect(recording.events('GateResolved')).toMatchObject([{ reason: 'timeout' }])
    expect(world.effects).toEqual([])
  })
})

describe('a store whose clock goes back an hour (31)', () => {
  it('keeps the order of what was said: seqs alone order', async () => {
    const world = new ApprovalWorld()
    const store = world.newStore()
    const responses = ['one', 'two', 'three'].map((text) => ({ text }))
    const first = await world.rig(store, { responses, clock: fakeClock(world.now + hour) }).newSession()
    await first.submit('1').result()
    world.now -= hour
    await first.submit('2').result()
    await first.shutdown()

    const { session } = await world.restore(store, first.id, { responses: responses.slice(2), clock: fakeClock(0) })
    await session.submit('3').result()

    const records = await readRecords(store, first.id)
    expect(records.map(({ at }) => at).toSorted((a, b) => a - b)).not.toEqual(records.map(({ at }) => at))
    expect(eventsOf(readBodies(records), 'TurnStarted').map(({ turnIndex }) => turnIndex)).toEqual([1, 2, 3])
    expect(session.history().map(({ blocks: [block] }) => block?.type === 'text' && block.text)).toEqual([
      ...['1', 'one', '2', 'two', '3', 'three'],
    ])
    expectWhole(readBodies(records))
  })
})
