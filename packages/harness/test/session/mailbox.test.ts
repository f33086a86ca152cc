import type { GateId, InputId, SessionId } from '@looprig/core'
import { textOf } from '@looprig/core'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { type GateAnswer, interactiveGate, type Rig } from '../../src/index.ts'
import { storeKinds } from '../journal/stores.ts'
import { openBusy } from '../queue/busy-session.ts'
import { allowing, calling, effectTool, openSession, resultTexts } from './open-session.ts'

const inputId = '11111111-0000-7000-8000-000000000001' as InputId // proved: a UUID
const unknownGate = '11111111-0000-7000-8000-000000000002' as GateId // proved: a UUID

/** A session whose first call waits for a person; it counts the effects. */
async function openAsking(setup: Parameters<typeof openSession>[0] = {}) {
  const effects: string[] = []
  const opened = await openSession({
    responses: [calling({ id: 'c1', name: 'Touch', input: { value: 'a' } }), { text: 'Done.' }],
    tools: [effectTool('Touch', (value) => void effects.push(value))],
    gate: interactiveGate({ access: [allowing('ask')] }),
    ...setup,
  })
  const submission = opened.session.submit('go')
  const { gateId } = await opened.recording.waitFor('PermissionRequested')
  return { ...opened, effects, submission, gateId }
}

describe.each(storeKinds)('the mailbox of a session on $name', ({ open }) => {
  it('hands an input to the loop of the owner, which begins its turn', async () => {
    const { session, rig, recording } = await openSession({ store: open(), responses: [{ text: 'Hello.' }] })

    expect(await rig.mailbox(session.id).submit('hi', { inputId })).toBe(inputId)

    const done = await recording.waitFor('TurnDone')
    expect(done.inputId).toBe(inputId)
    expect(session.history().map((message) => textOf(message.blocks))).toEqual(['hi', 'Hello.'])
  })

  it('approves a gate, and the approved call runs once', async () => {
    const { session, rig, effects, submission, gateId } = await openAsking({ store: open() })

    await rig.mailbox(session.id).answer(gateId, { action: 'approve', by: 'ann' })

    expect(await submission.result()).toMatchObject({ status: 'done', text: 'Done.' })
    expect(effects).toEqual(['a'])
  })

  it('takes back an input that waits, so that no model sees it', async () => {
    const { session, rig, goOn, first, requests } = await openBusy({ store: open() })
    const second = session.submit('second', { inputId })
    await second.accepted

    expect(await rig.mailbox(session.id).cancel(inputId)).toBe(true)

    expect(await second.result()).toMatchObject({ status: 'cancelled' })
    goOn('answer')
    await first.result()
    await session.waitIdle()
    expect(requests).toHaveLength(1)
  })
})

describe('the mailbox of a session', () => {
  it('lets an input wait while a turn runs', async () => {
    const { session, rig, goOn, first, recording } = await openBusy()

    await rig.mailbox(session.id).submit('second', { inputId })

    await recording.waitFor('InputQueued')
    goOn('answer')
    expect(await first.result()).toMatchObject({ status: 'done', text: 'answer 1' })
    await recording.waitFor('TurnDone', 2)
    expect(session.history().map((message) => textOf(message.blocks))).toEqual([
      'first',
      'answer 1',
      'second',
      'answer 2',
    ])
  })

  it('accepts one input once, whoever hands it over and however often', async () => {
    const { session, rig, recording } = await openSession({ responses: [{ text: 'One.' }, { text: 'Two.' }] })
    const mailbox = rig.mailbox(session.id)

    const own = session.submit('hi', { inputId })
    await Promise.all([mailbox.submit('hi', { inputId }), own.accepted, mailbox.submit('hi', { inputId })])

    expect(await own.result()).toMatchObject({ status: 'done', text: 'One.' })
    await session.waitIdle()
    expect(recording.deliveries.filter(({ event }) => event.type === 'TurnStarted')).toHaveLength(1)
  })

  it('refuses another input under an id that is taken', async () => {
    const { session, rig } = await openSession({ responses: [{ text: 'One.' }] })
    await session.submit('hi', { inputId }).result()

    await expect(rig.mailbox(session.id).submit('ho', { inputId })).rejects.toMatchObject({ code: 'input_conflict' })
  })

  it('refuses what is no input, and writes nothing', async () => {
    const { session, rig, store } = await openSession()
    const before = await store.ledger.find(session.id)

    await expect(rig.mailbox(session.id).submit('  ')).rejects.toMatchObject({ code: 'input_invalid' })

    expect(await store.ledger.find(session.id)).toEqual(before)
  })

  it('does not take back an input that runs', async () => {
    const { session, rig, goOn, first } = await openBusy()

    expect(await rig.mailbox(session.id).cancel(first.inputId)).toBe(false)

    goOn('answer')
    expect(await first.result()).toMatchObject({ status: 'done' })
  })

  it('repeats an equal answer and refuses another', async () => {
    const { session, rig, submission, gateId } = await openAsking()
    const mailbox = rig.mailbox(session.id)

    await mailbox.answer(gateId, { action: 'deny' })
    await mailbox.answer(gateId, { action: 'deny' })

    await expect(mailbox.answer(gateId, { action: 'approve' })).rejects.toMatchObject({
      code: 'already_resolved',
      action: 'deny',
    })
    await submission.result()
    expect(resultTexts(session.history())).toEqual([expect.stringContaining('permission denied')])
  })

  it.each<[string, GateAnswer]>([['gate_not_found', { action: 'approve' }]])(
    'refuses an answer with %s',
    async (code, answer) => {
      const { session, rig } = await openSession()

      await expect(rig.mailbox(session.id).answer(unknownGate, answer)).rejects.toMatchObject({ code })
    },
  )

  it('lets the first of two answers count, in whatever process', async () => {
    const { session, rig, effects, submission, gateId } = await openAsking()

    const answers = await Promise.allSettled([
      session.answer(gateId, { action: 'approve' }),
      rig.mailbox(session.id).answer(gateId, { action: 'deny' }),
    ])

    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    await submission.result()
    expect(effects).toHaveLength(answers[0]?.status === 'fulfilled' ? 1 : 0)
  })

  it('keeps an input for a session that nobody owns; the next restore runs it', async () => {
    const store = memoryStore()
    const { session, rig } = await openSession({ store, responses: [{ text: 'Late.' }] })
    await session.shutdown()
    expect(await rig.due()).toEqual([])

    await rig.mailbox(session.id).submit('hi', { inputId })

    expect(await rig.due()).toEqual([session.id])
    const restored = await rig.restoreSession(session.id)
    expect(await restored.submit('hi', { inputId }).result()).toMatchObject({ status: 'done', text: 'Late.' })
    await restored.shutdown()
    expect(await rig.due()).toEqual([])
  })

  it('refuses an input when too many wait already, whether a turn runs or none does', async () => {
    const { session, rig } = await openSession()
    await session.shutdown()
    const mailbox = rig.mailbox(session.id)
    // one of them begins as soon as somebody owns the session
    for (let count = 0; count < 65; count += 1) await mailbox.submit('hi')

    await expect(mailbox.submit('one too many')).rejects.toMatchObject({ code: 'queue_full' })
    const busy = await openBusy()
    for (let count = 0; count < 64; count += 1) await busy.rig.mailbox(busy.session.id).submit('hi')
    const over = busy.rig.mailbox(busy.session.id).submit('one too many')

    await expect(over).rejects.toMatchObject({ code: 'queue_full' })
    busy.goOn('answer')
  })

  it('refuses an input for a stopped session', async () => {
    const { session, rig } = await openSession()
    await session.stop()

    await expect(rig.mailbox(session.id).submit('hi')).rejects.toMatchObject({ code: 'session_stopped' })
  })

  it('knows no session that the store does not have', async () => {
    const { rig } = await openSession()
    const id = '22222222-0000-7000-8000-000000000000' as SessionId // proved: a UUID

    await expect(rig.mailbox(id).cancel(inputId)).rejects.toMatchObject({ code: 'session_not_found' })
  })

  it('has a cancel and a turn race for one input, and exactly one of them wins', async () => {
    for (let round = 0; round < 200; round += 1) {
      const { session, rig, goOn, first, requests } = await openBusy()
      const second = session.submit('second')
      await second.accepted
      const start = createDeferred<void>()
      const cancelled = start.promise.then(() => rig.mailbox(session.id).cancel(second.inputId))
      for (let turns = 0; turns < round % 12; turns += 1) await Promise.resolve()

      start.resolve()
      goOn('answer')

      const isCancelled = await cancelled
      const { status } = await second.result()
      await first.result()
      await session.waitIdle()
      expect(status).toBe(isCancelled ? 'cancelled' : 'done')
      const sawIt = requests.some((request) => JSON.stringify(request.messages).includes('second'))
      expect(sawIt).toBe(!isCancelled)
      await session.shutdown()
    }
  })
})

describe('a watch of a session', () => {
  /** The types of what a watch gives, to its end. */
  async function watched(rig: Rig, id: SessionId, since?: number): Promise<readonly string[]> {
    const types: string[] = []
    for await (const { event } of rig.watch(id, { since })) types.push(event.type)
    return types
  }

  it('gives every durable event of another owner, then each as it comes, to the end of the session', async () => {
    const { session, rig } = await openSession({ responses: [{ text: 'Hello.' }] })
    const all = watched(rig, session.id)
    await session.submit('hi').result()
    await session.stop()

    expect(await all).toEqual([
      'SessionStarted',
      'LoopStarted',
      'TurnStarted',
      'SessionActive',
      'StepDone',
      'TurnDone',
      'LoopIdle',
      'SessionIdle',
      'SessionStopped',
    ])
  })

  it('begins after a seq', async () => {
    const { session, rig, recording } = await openSession({ responses: [{ text: 'Hello.' }] })
    await session.submit('hi').result()
    await recording.waitFor('SessionIdle')
    const seqs = recording.deliveries.flatMap(({ seq }) => (seq === null ? [] : [seq]))
    await session.stop()

    expect(await watched(rig, session.id, seqs.at(-1))).toEqual(['SessionStopped'])
  })

  it('ends with its signal', async () => {
    const { session, rig } = await openSession()
    const stop = new AbortController()
    const types: string[] = []

    for await (const { event } of rig.watch(session.id, { signal: stop.signal })) {
      types.push(event.type)
      if (types.length === 2) setImmediate(() => stop.abort())
    }

    expect(types).toEqual(['SessionStarted', 'LoopStarted'])
  })

  it.each([
    [99, 'since_ahead'],
    [-1, 'since_invalid'],
  ])('refuses to begin at %s', async (since, code) => {
    const { session, rig } = await openSession()

    await expect(watched(rig, session.id, since)).rejects.toMatchObject({ code })
  })
})
