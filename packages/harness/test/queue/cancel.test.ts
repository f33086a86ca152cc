import type { InputId } from '@looprig/core'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { interactiveGate } from '../../src/index.ts'
import { faultAt, faultyStore } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'
import { allowing, calling, delivered, effectTool, openSession } from '../session/open-session.ts'
import { openBusy } from './busy-session.ts'

const unknown = '00000000-0000-7000-8000-00000000aaaa' as InputId // proved: a UUID

async function openQueue() {
  const opened = await openBusy()
  const [a, b] = [opened.session.submit('sentinel'), opened.session.submit('b')]
  await Promise.all([a.accepted, b.accepted])
  return { ...opened, a, b }
}

describe('Session.cancel', () => {
  it('takes back an input that waits, and says what it was', async () => {
    const { session, store, recording, a } = await openQueue()

    const cancelled = await session.cancel(a.inputId)
    const last = (await readRecords(store, session.id)).at(-1)
    await delivered()

    expect(cancelled).toBe(true)
    expect(last).toMatchObject({ id: `in/${a.inputId}/end`, kind: 'event' })
    expect(recording.events('InputCancelled')).toMatchObject([
      { inputId: a.inputId, reason: 'client_retracted', message: { blocks: [{ type: 'text', text: 'sentinel' }] } },
    ])
    expect(recording.events('InputCancelled')[0]).not.toHaveProperty('turnId')
    expect(await a.result()).toEqual({ status: 'cancelled', inputId: a.inputId, text: '', usage: {} })
  })

  it('never shows it to the model, and lets the others run in order', async () => {
    const { session, requests, goOn, first, a, b } = await openQueue()

    await session.cancel(a.inputId)
    goOn('answer')
    const results = await Promise.all([first.result(), b.result()])

    expect(results.map((result) => result.text)).toEqual(['answer 1', 'answer 2'])
    expect(JSON.stringify([requests, session.history()])).not.toContain('sentinel')
  })

  it('ends the events of its submission', async () => {
    const { session, a } = await openQueue()
    await session.cancel(a.inputId)

    const types: string[] = []
    for await (const { event } of a) types.push(event.type)

    expect(types).toEqual(['InputQueued', 'InputCancelled'])
  })

  it('says no to an input that runs, has ended, was cancelled or is not known, and writes nothing', async () => {
    const { session, store, goOn, first, a, b } = await openQueue()
    await session.cancel(a.inputId)
    const before = (await store.ledger.find(session.id))?.tip

    const running = await session.cancel(first.inputId)
    const others = [await session.cancel(a.inputId), await session.cancel(unknown), await session.cancel('' as InputId)]
    const after = (await store.ledger.find(session.id))?.tip
    goOn('answer')
    await b.result()

    expect([running, ...others, await session.cancel(b.inputId)]).toEqual([false, false, false, false, false])
    expect(after).toBe(before)
    expect((await first.result()).status).toBe('done')
  })

  it('means an input that is still on its way to the journal', async () => {
    const { session, recording } = await openBusy()

    const late = session.submit('late')
    const cancelled = await session.cancel(late.inputId)
    await delivered()

    expect(cancelled).toBe(true)
    await expect(late.accepted).resolves.toBeUndefined()
    expect((await late.result()).status).toBe('cancelled')
    expect(recording.events('InputQueued').map((event) => event.inputId)).toEqual([late.inputId])
  })

  it('is too late for an input that finds the loop idle', async () => {
    const { session } = await openSession({ responses: [{ text: 'ok' }] })

    const submission = session.submit('Hi')
    const cancelled = await session.cancel(submission.inputId)

    expect(cancelled).toBe(false)
    expect(await submission.result()).toMatchObject({ status: 'done', text: 'ok' })
  })

  it('makes one decision of two that come at once', async () => {
    const { session, recording, a } = await openQueue()

    const both = await Promise.all([session.cancel(a.inputId), session.cancel(a.inputId)])
    await delivered()

    expect(both).toEqual([true, false])
    expect(recording.events('InputCancelled')).toHaveLength(1)
  })

  it('makes room in a full queue', async () => {
    const { session } = await openBusy()
    const queued = Array.from({ length: 64 }, (_, n) => session.submit(`q${n}`))
    await Promise.all(queued.map((submission) => submission.accepted))

    await session.cancel(queued[10]?.inputId ?? unknown)
    const more = [session.submit('fits'), session.submit('does not')]

    await expect(more[0]?.accepted).resolves.toBeUndefined()
    await expect(more[1]?.accepted).rejects.toMatchObject({ code: 'queue_full' })
  })

  it('leaves alone a turn that waits for a person', async () => {
    const { session, rig, recording } = await openSession({
      responses: [calling({ name: 'touch' }), { text: 'ok' }],
      tools: [effectTool('touch', () => undefined)],
      gate: interactiveGate({ access: [allowing('ask')] }),
    })
    const asking = session.submit('Go')
    const { gateId } = await recording.waitFor('PermissionRequested')
    const queued = session.submit('later')

    const cancelled = await session.cancel(queued.inputId)
    const states = [await session.waitIdle({ orWaiting: true }), (await rig.sessions())[0]?.status]
    await session.answer(gateId, { action: 'approve' })

    expect([cancelled, ...states]).toEqual([true, 'waiting', 'running'])
    expect((await asking.result()).status).toBe('done')
  })

  it('resolves an input once, whenever it comes as the turn before it ends', async () => {
    for (let ticks = 0; ticks < 60; ticks += 1) {
      const { session, goOn, recording, requests } = await openBusy()
      const queued = session.submit('sentinel')
      await queued.accepted

      goOn('answer')
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
      const cancelled = await session.cancel(queued.inputId)
      const { status } = await queued.result()
      await session.waitIdle()
      await delivered()

      expect([cancelled, status]).toEqual(cancelled ? [true, 'cancelled'] : [false, 'done'])
      const started = recording.events('TurnStarted').filter(({ inputId }) => inputId === queued.inputId)
      expect(started.length + recording.events('InputCancelled').length).toBe(1)
      expect(JSON.stringify(requests).includes('sentinel')).toBe(!cancelled)
    }
  })

  it('both happens and comes too late in such a race', async () => {
    const outcomes = new Set<boolean>()
    for (let ticks = 0; ticks < 60; ticks += 1) {
      const { session, goOn } = await openBusy()
      const queued = session.submit('queued')
      await queued.accepted
      goOn('answer')
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
      outcomes.add(await session.cancel(queued.inputId))
    }

    expect(outcomes).toEqual(new Set([true, false]))
  })

  it('is refused once the session is shut down', async () => {
    const { session, a } = await openQueue()

    const closed = session.shutdown()
    const during = session.cancel(a.inputId)

    await expect(during).rejects.toMatchObject({ name: 'SessionError', code: 'session_closed' })
    await closed
    await expect(session.cancel(unknown)).rejects.toMatchObject({ code: 'session_closed' })
    expect((await a.result()).status).toBe('waiting')
  })
})

describe('Session.cancel and a restore', () => {
  it('is not run by a later owner, and stays what became of its id', async () => {
    const { session, rig, a } = await openQueue()
    await session.cancel(a.inputId)
    await session.shutdown()

    await using restored = await rig.restoreSession(session.id)
    await restored.waitIdle()
    const again = await restored.submit('sentinel', { inputId: a.inputId }).result()

    expect(again.status).toBe('cancelled')
    expect(JSON.stringify(restored.history())).not.toContain('sentinel')
    expect(JSON.stringify(restored.history())).toContain('"b"')
  })

  it('takes back an input that the restore queued again', async () => {
    const { session, rig, requests, b } = await openQueue()
    await session.shutdown()

    await using restored = await rig.restoreSession(session.id)
    const cancelled = await restored.cancel(b.inputId)
    await restored.waitIdle()

    expect(cancelled).toBe(true)
    expect(requests.at(-1)?.messages.at(-1)).toMatchObject({ blocks: [{ text: 'sentinel' }] })
  })
})

describe('Session.cancel whose append fails', () => {
  it('faults the session; a restore runs the input', async () => {
    const plain = memoryStore()
    const store = faultyStore(plain, faultAt(4, { kind: 'refused' }))
    const { session, rig } = await openBusy({ store })
    const queued = session.submit('queued')
    await queued.accepted

    const refused = await session.cancel(queued.inputId).catch((error: unknown) => error)

    expect(refused).toMatchObject({ code: 'session_faulted', reason: 'store_failed' })
    await expect(queued.result()).rejects.toBe(refused)
    await session.shutdown()
    await using restored = await rig.restoreSession(session.id)
    expect((await restored.submit('queued', { inputId: queued.inputId }).result()).status).toBe('done')
  })
})
