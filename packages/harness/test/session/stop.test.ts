import type { GateId } from '@looprig/core'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { interactiveGate, type Session } from '../../src/index.ts'
import { fakeClock, faultAt, faultyStore } from '../../src/testing.ts'
import { openBusy } from '../queue/busy-session.ts'
import {
  allowing,
  answersOf,
  calling,
  delivered,
  effectTool,
  openSession,
  resultTexts,
  streamingClient,
  textEvents,
  whenAborted,
} from './open-session.ts'

const closed = { name: 'SessionError', code: 'session_closed' }

/** What each append from `first` on wrote: the types of its events. */
function appended(store: ReturnType<typeof faultyStore>, first: number): readonly (readonly string[])[] {
  return store.appends.slice(first).map(({ records }) => records.map(({ body }) => JSON.parse(body).type))
}

/** A turn that waits for a person, with three inputs behind it. */
async function openAsking() {
  const ran: string[] = []
  const store = faultyStore(memoryStore(), () => undefined)
  const opened = await openSession({
    responses: [calling({ name: 'touch' }), { text: 'ok' }],
    tools: [effectTool('touch', (value) => void ran.push(value))],
    gate: interactiveGate({ access: [allowing('ask')] }),
    store,
  })
  const asking = opened.session.submit('Go')
  const { gateId } = await opened.recording.waitFor('PermissionRequested')
  const queued = ['a', 'b', 'c'].map((text) => opened.session.submit(text))
  await Promise.all(queued.map((submission) => submission.accepted))
  return { ...opened, store, ran, asking, queued, gateId }
}

async function refusals(session: Session, gateId: GateId) {
  const { accepted, inputId } = session.submit('late')
  const calls = [accepted, session.cancel(inputId), session.answer(gateId, { action: 'deny' })]
  const settled = await Promise.allSettled([...calls, session.interrupt(), session.waitIdle()])
  return settled.map((outcome) => outcome.status === 'rejected' && outcome.reason)
}

describe('Session.stop', () => {
  it('writes one record on an idle session, ends subscriptions and frees the lease', async () => {
    const store = faultyStore(memoryStore(), () => undefined)
    const { session, rig, recording } = await openSession({ responses: [{ text: 'ok' }], store })
    await session.submit('Hi').result()
    const before = store.appends.length

    await session.stop()

    expect(appended(store, before)).toEqual([['SessionStopped']])
    expect(store.appends.at(-1)?.records[0]?.id).toBe('session/end')
    expect(await recording.ended).toBeUndefined()
    expect(recording.deliveries.at(-1)?.event.type).toBe('SessionStopped')
    expect(await store.leases.isHeld(session.id)).toBe(false)
    expect(await rig.sessions()).toMatchObject([{ id: session.id, status: 'stopped', title: 'Hi' }])
  })

  it('ends a running turn, the queue and the session in one append', async () => {
    const store = faultyStore(memoryStore(), () => undefined)
    const client = streamingClient(async function* (_n, signal) {
      yield* textEvents('Once')
      await whenAborted(signal)
    })
    const { session, recording } = await openSession({ client, store })
    const running = session.submit('Tell')
    await recording.waitFor('TokenDelta')
    const queued = ['a', 'b'].map((text) => session.submit(text))
    await Promise.all(queued.map((submission) => submission.accepted))
    const before = store.appends.length

    await session.stop()
    const results = await Promise.all([running, ...queued].map((submission) => submission.result()))

    const end = ['InputCancelled', 'InputCancelled', 'LoopIdle', 'SessionIdle', 'SessionStopped']
    expect(appended(store, before)).toEqual([['StepDone', 'TurnInterrupted', ...end]])
    expect(results.map((result) => result.status)).toEqual(['interrupted', 'cancelled', 'cancelled'])
    expect(answersOf(session.history())[0]?.blocks[0]).toEqual({ type: 'text', text: 'Once' })
    expect(store.appends.at(-1)?.head).toContain('"status":"stopped"')
  })

  it('abandons open gates and cancels what is queued, with what it said', async () => {
    const { session, store, recording, asking, queued, ran } = await openAsking()
    const before = store.appends.length

    await session.stop()
    await recording.ended

    const cancelled = Array(3).fill('InputCancelled')
    const end = ['TurnInterrupted', ...cancelled, 'LoopIdle', 'SessionIdle', 'SessionStopped']
    expect(appended(store, before)).toEqual([['GateResolved', 'StepDone', ...end]])
    expect(recording.events('GateResolved')).toMatchObject([{ reason: 'abandoned' }])
    expect(recording.events('InputCancelled')).toMatchObject(
      ['a', 'b', 'c'].map((text) => ({ reason: 'session_stopped', message: { blocks: [{ text }] } })),
    )
    expect((await asking.result()).status).toBe('interrupted')
    expect((await Promise.all(queued.map((each) => each.result()))).map(({ status }) => status)).toEqual(
      Array(3).fill('cancelled'),
    )
    expect([session.gates(), ran]).toEqual([[], []])
  })

  it('gives a running tool its drain time, and closes it by the rule of an interrupt', async () => {
    const clock = fakeClock()
    const never = createDeferred<void>()
    const { session, recording } = await openSession({
      responses: [calling({ name: 'quick' }, { name: 'stuck' })],
      tools: [effectTool('quick', () => undefined), effectTool('stuck', () => never.promise)],
      clock,
    })
    session.submit('Go')
    await recording.waitFor('ToolCallCompleted')

    const stopped = session.stop()
    await clock.advance(5_000)
    await stopped

    expect(resultTexts(session.history())).toEqual(['quick did x', expect.stringMatching(/^outcome_unknown/)])
    expect(recording.deliveries.at(-1)?.event.type).toBe('SessionStopped')
  })

  it('writes nothing after SessionStopped, also when a tool ends late', async () => {
    const clock = fakeClock()
    const slow = createDeferred<void>()
    const store = faultyStore(memoryStore(), () => undefined)
    const { session, recording } = await openSession({
      responses: [calling({ name: 'slow' })],
      tools: [effectTool('slow', () => slow.promise)],
      clock,
      store,
    })
    session.submit('Go')
    await recording.waitFor('ToolCallStarted')
    const stopped = session.stop()
    await clock.advance(5_000)
    await stopped

    slow.resolve()
    await delivered()
    await clock.advance(60_000)

    expect(appended(store, 0).at(-1)?.at(-1)).toBe('SessionStopped')
  })

  it.each(['answer', 'fail'] as const)('joins a turn that ends by itself meanwhile: %s', async (how) => {
    for (let ticks = 0; ticks < 40; ticks += 1) {
      const store = faultyStore(memoryStore(), () => undefined)
      const { session, goOn, first } = await openBusy({ store })
      const queued = session.submit('queued')
      await queued.accepted

      goOn(how)
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
      await session.stop()
      const statuses = [(await first.result()).status, (await queued.result()).status]

      const types = appended(store, 0).flat()
      expect(types.filter((type) => type === 'SessionStopped')).toHaveLength(1)
      expect(types.at(-1)).toBe('SessionStopped')
      expect(statuses).not.toContain('waiting')
    }
  })

  it('refuses everything that comes afterwards', async () => {
    const { session, gateId } = await openAsking()
    await session.stop()

    const refused = await refusals(session, gateId)

    expect(refused).toMatchObject(Array(5).fill(closed))
    expect(String(refused[0])).not.toContain('restore')
  })

  it('refuses everything that comes while it goes on', async () => {
    const { session, gateId, store, ran } = await openAsking()

    const stopped = session.stop()
    const refused = await refusals(session, gateId)
    await stopped

    expect(refused).toMatchObject(Array(5).fill(closed))
    expect(ran).toEqual([])
    expect(appended(store, 0).at(-1)?.at(-1)).toBe('SessionStopped')
  })

  it('refuses an input that is on its way, whole', async () => {
    const store = faultyStore(memoryStore(), () => undefined)
    const { session } = await openSession({ responses: [{ text: 'ok' }], store })

    const submission = session.submit('Hi')
    await session.stop()

    expect(await submission.result()).toMatchObject({ status: 'rejected', error: { code: 'session_closed' } })
    expect(appended(store, 1)).toEqual([['SessionStopped']])
  })

  it('tells again what became of an input that it cancelled', async () => {
    const { session, queued } = await openAsking()
    await session.stop()

    const again = session.submit('b', { inputId: queued[1]?.inputId })

    expect((await again.result()).status).toBe('cancelled')
  })

  it('keeps the journal readable', async () => {
    const { session, asking } = await openAsking()
    await session.stop()

    const types: string[] = []
    for await (const { event } of session.subscribe({ since: 0 })) types.push(event.type)

    expect([types[0], types.at(-1)]).toEqual(['SessionStarted', 'SessionStopped'])
    expect((await asking.result()).status).toBe('interrupted')
  })

  it('may be asked for by a tool of the session', async () => {
    const stops: (Promise<void> | undefined)[] = []
    const sessions: Session[] = []
    const { session } = await openSession({
      responses: [calling({ name: 'quit' })],
      tools: [effectTool('quit', () => void stops.push(sessions[0]?.stop()))],
    })
    sessions.push(session)

    const { status } = await session.submit('Go').result()

    await expect(stops[0]).resolves.toBeUndefined()
    expect(status).toBe('interrupted')
    expect(resultTexts(session.history())).toEqual(['quit did x'])
  })
})

describe('Session.stop and other calls of its kind', () => {
  it('is done once, however often it is called', async () => {
    const store = faultyStore(memoryStore(), () => undefined)
    const { session } = await openSession({ store })

    await Promise.all([session.stop(), session.stop()])
    await session.stop()

    expect(appended(store, 1)).toEqual([['SessionStopped']])
  })

  it('is waited for by a shutdown that comes later', async () => {
    const { session, store, rig } = await openAsking()

    const stopped = session.stop()
    await session.shutdown()
    const held = await store.leases.isHeld(session.id)
    await stopped

    expect(held).toBe(false)
    await expect(rig.restoreSession(session.id)).rejects.toMatchObject({ code: 'session_stopped' })
  })

  it('is refused after a shutdown, once that is done, and is possible after a restore', async () => {
    const { session, store, rig } = await openAsking()

    const parked = session.shutdown()
    const refused = await session.stop().catch((error: unknown) => error)
    const held = await store.leases.isHeld(session.id)
    await parked
    const restored = await rig.restoreSession(session.id)
    await restored.stop()

    expect(refused).toMatchObject(closed)
    expect(held).toBe(false)
    expect(appended(store, 0).at(-1)?.at(-1)).toBe('SessionStopped')
    expect(
      appended(store, 0)
        .flat()
        .filter((type) => type === 'InputCancelled').length,
    ).toBeGreaterThanOrEqual(2)
  })

  it('joins an interrupt that came before', async () => {
    const { session, asking, queued } = await openAsking()

    const interrupted = session.interrupt()
    await session.stop()

    expect(await interrupted).toBe(true)
    expect((await asking.result()).status).toBe('interrupted')
    for (const submission of queued) expect((await submission.result()).status).toMatch(/^(cancelled|interrupted)$/)
  })
})

describe('a stop that cannot be written', () => {
  it('rejects with the fault and frees the session, which a restore takes on', async () => {
    const store = faultyStore(memoryStore(), faultAt(4, { kind: 'refused' }))
    const { session, rig, first } = await openBusy({ store })
    const queued = session.submit('queued')
    await queued.accepted

    const failed = await session.stop().catch((error: unknown) => error)
    await session.shutdown()
    await using restored = await rig.restoreSession(session.id)

    expect(failed).toMatchObject({ code: 'session_faulted', reason: 'store_failed' })
    expect(failed).toBe(session.fault)
    await expect(first.result()).rejects.toBe(failed)
    await expect(session.stop()).rejects.toBe(failed)
    expect((await restored.submit('queued', { inputId: queued.inputId }).result()).status).toBe('done')
  })

  it('is sent again when the answer was lost', async () => {
    const clock = fakeClock()
    const store = faultyStore(memoryStore(), faultAt(2, { kind: 'unknown', written: true }))
    const { session, rig, recording } = await openSession({ store, clock })

    const stopped = session.stop()
    await clock.whenPending()
    await clock.advance(25)
    await stopped

    expect(appended(store, 1)).toEqual([['SessionStopped'], ['SessionStopped']])
    await recording.ended
    expect(recording.events('SessionStopped')).toHaveLength(1)
    await expect(rig.restoreSession(session.id)).rejects.toMatchObject({ code: 'session_stopped' })
  })

  it('rejects when the session faulted before', async () => {
    const store = faultyStore(memoryStore(), faultAt(2, { kind: 'refused' }))
    const { session } = await openSession({ store })
    await session.submit('Hi').accepted.catch(() => undefined)

    await expect(session.stop()).rejects.toBe(session.fault)

    expect(store.appends).toHaveLength(2)
    expect(await store.leases.isHeld(session.id)).toBe(false)
  })
})
