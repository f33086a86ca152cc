import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { interactiveGate } from '../../src/index.ts'
import { fakeClock, faultFrom, faultyStore } from '../../src/testing.ts'
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

async function tip(opened: Pick<Awaited<ReturnType<typeof openSession>>, 'store' | 'session'>) {
  return (await opened.store.ledger.find(opened.session.id))?.tip
}

describe('Session.shutdown', () => {
  it('writes nothing on an idle session, ends subscriptions and frees the lease', async () => {
    const opened = await openSession({ responses: [{ text: 'ok' }] })
    const { session, store, recording } = opened
    await session.submit('Hi').result()
    const before = await tip(opened)

    await session.shutdown()

    expect(await tip(opened)).toBe(before)
    expect(await recording.ended).toBeUndefined()
    expect(await store.leases.isHeld(session.id)).toBe(false)
  })

  it('interrupts a running turn and keeps what arrived', async () => {
    const client = streamingClient(async function* (_n, signal) {
      yield* textEvents('Once')
      await whenAborted(signal)
    })
    const { session, recording } = await openSession({ client })
    const submission = session.submit('Tell')
    await recording.waitFor('TokenDelta')

    await session.shutdown()

    expect(await submission.result()).toMatchObject({ status: 'interrupted' })
    expect(answersOf(session.history())[0]?.blocks[0]).toEqual({ type: 'text', text: 'Once' })
  })

  it('closes running tools by the same rule as an interrupt', async () => {
    const clock = fakeClock()
    const never = createDeferred<void>()
    const { session, recording } = await openSession({
      responses: [calling({ name: 'stuck' })],
      tools: [effectTool('stuck', () => never.promise)],
      clock,
    })
    session.submit('Go')
    await recording.waitFor('ToolCallStarted')

    const closed = session.shutdown()
    await clock.advance(5_000)
    await closed

    expect(resultTexts(session.history())).toEqual([expect.stringMatching(/^outcome_unknown/)])
  })

  it('parks a turn that waits for a person, without a record', async () => {
    const ran: string[] = []
    const opened = await openSession({
      responses: [calling({ name: 'touch' })],
      tools: [effectTool('touch', (value) => void ran.push(value))],
      gate: interactiveGate({ access: [allowing('ask')] }),
    })
    const submission = opened.session.submit('Go')
    await opened.recording.waitFor('PermissionRequested')
    const before = await tip(opened)

    await opened.session.shutdown()

    expect(await tip(opened)).toBe(before)
    expect(await submission.result()).toMatchObject({ status: 'waiting' })
    expect(await opened.types()).not.toContain('TurnInterrupted')
    expect(ran).toEqual([])
  })

  it('keeps queued inputs, and a restore runs them', async () => {
    const client = streamingClient(async function* (n, signal) {
      if (n === 1) await whenAborted(signal)
      yield* textEvents(`answer ${n}`)
      yield { type: 'finish', reason: 'stop' }
    })
    const { session, rig } = await openSession({ client })
    session.submit('running')
    const queued = session.submit('queued')
    await queued.accepted

    await session.shutdown()
    const parked = await queued.result()
    await using restored = await rig.restoreSession(session.id)
    const result = await restored.submit('queued', { inputId: queued.inputId }).result()

    expect(parked.status).toBe('waiting')
    expect(result).toMatchObject({ status: 'done', text: 'answer 2' })
  })

  it('may be called twice at once and again', async () => {
    const { session } = await openSession({ responses: [{ text: 'ok' }] })
    session.submit('Hi')

    const twice = [session.shutdown(), session.shutdown()]
    await Promise.all(twice)
    await session.shutdown()

    expect(twice[0]).toBe(twice[1])
  })

  it('accepts an input that came before, and refuses one that comes at the same time', async () => {
    const { session } = await openSession({ responses: [{ text: 'ok' }] })
    const before = session.submit('before')
    await before.accepted

    const closed = session.shutdown()
    const during = session.submit('during')
    await closed
    const after = session.submit('after')

    expect((await before.result()).status).toMatch(/^(done|interrupted)$/)
    expect(await during.result()).toMatchObject({ status: 'rejected', error: { code: 'session_closed' } })
    expect(await after.result()).toMatchObject({ status: 'rejected', error: { code: 'session_closed' } })
  })

  it('accepts nothing that it would have to leave behind: a submit right before it is whole or refused', async () => {
    const opened = await openSession({ responses: [{ text: 'ok' }] })
    const before = await tip(opened)
    const submission = opened.session.submit('Hi')

    await opened.session.shutdown()

    const { status } = await submission.result()
    expect(status).toBe('rejected')
    expect(await tip(opened)).toBe(before)
  })

  it('is what `await using` does', async () => {
    const { session, rig, store } = await openSession()
    await session.shutdown()

    {
      await using other = await rig.newSession()
      expect(await store.leases.isHeld(other.id)).toBe(true)
    }

    const held = await Promise.all((await store.ledger.list()).map((entry) => store.leases.isHeld(entry.session)))
    expect(held).toEqual([false, false])
  })

  it('ends also when the session faulted in the middle of a turn', async () => {
    const store = faultyStore(memoryStore(), faultFrom(3, { kind: 'refused' }))
    const { session } = await openSession({ responses: [{ text: 'ok' }], store })
    const failed = await session
      .submit('Hi')
      .result()
      .catch((error: unknown) => error)

    await session.shutdown()

    expect(failed).toMatchObject({ code: 'session_faulted' })
    expect(await store.leases.isHeld(session.id)).toBe(false)
    expect(await session.interrupt()).toBe(false)
  })

  it('stops a running tool when the session faults', async () => {
    const aborted = createDeferred<void>()
    const store = faultyStore(memoryStore(), (_number, { records }) =>
      records.some((record) => record.body.includes('poison')) ? { kind: 'refused' } : undefined,
    )
    const tool = effectTool('stuck', async (_value, signal) => {
      await whenAborted(signal)
      aborted.resolve()
    })
    const { session, recording } = await openSession({
      responses: [calling({ name: 'stuck' })],
      tools: [tool],
      store,
    })
    session.submit('Go')
    await recording.waitFor('ToolCallStarted')

    const poisoned = await session.submit('poison').accepted.catch((error: unknown) => error)
    await aborted.promise
    await delivered()

    expect(poisoned).toMatchObject({ code: 'session_faulted' })
    expect(session.history()).toHaveLength(1)
  })

  it('frees a session that faulted only when its tools have ended', async () => {
    const slow = createDeferred<void>()
    const quick = createDeferred<void>()
    const store = faultyStore(memoryStore(), (_number, { records }) =>
      records.length === 1 && records[0]?.kind === 'run' ? { kind: 'refused' } : undefined,
    )
    const { session, recording } = await openSession({
      responses: [calling({ name: 'slow' }, { name: 'quick' }, { name: 'quick' })],
      tools: [effectTool('slow', () => slow.promise), effectTool('quick', () => quick.promise)],
      store,
      limits: { parallel: 2 },
    })
    const failed = session
      .submit('Go')
      .result()
      .catch((error: unknown) => error)
    await recording.waitFor('ToolCallStarted', 2)

    quick.resolve()
    const fault = await failed
    await delivered()
    const before = await store.leases.isHeld(session.id)
    slow.resolve()
    await session.shutdown()

    expect(fault).toMatchObject({ code: 'session_faulted' })
    expect([before, await store.leases.isHeld(session.id)]).toEqual([true, false])
  })
})
