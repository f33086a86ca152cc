import type { Block, InputId } from '@looprig/core'
import { scriptedClient } from '@looprig/inference/testing'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { defineLoop, defineRig, interactiveGate, SessionFaultedError, type Submission } from '../../src/index.ts'
import { faultFrom, faultyStore } from '../../src/testing.ts'
import {
  allowing,
  calling,
  delivered,
  effectTool,
  openSession,
  streamingClient,
  textEvents,
  whenAborted,
} from '../session/open-session.ts'

const chosenId = '0190a000-0000-7000-8000-000000000001' as InputId

async function typesOf(submission: Submission): Promise<string[]> {
  const types: string[] = []
  for await (const { event } of submission) types.push(event.type)
  return types
}

/** Lists what was reported as an unhandled rejection from now to the end of the test. */
function unhandledRejections(): unknown[] {
  const seen: unknown[] = []
  const note = (reason: unknown) => void seen.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  return seen
}

describe('Session.submit', () => {
  it.each<[string, unknown]>([
    ['an empty text', ''],
    ['white space', ' \n\t'],
    ['no blocks', []],
    ['empty blocks', [{ type: 'text', text: '' }]],
    ['a call', [{ type: 'tool_use', id: 'a', name: 'b', input: {} }]],
    [
      'a tool result beside a text',
      [
        { type: 'text', text: 'hi' },
        { type: 'tool_result', toolUseId: 'a', content: [], isError: false },
      ],
    ],
    ['thinking', [{ type: 'thinking', text: 'hm' }]],
    ['a block of an unknown type', [{ type: 'video', url: 'x' }]],
    ['a picture without content', [{ type: 'image', mediaType: 'image/png' }]],
    ['nothing', undefined],
    ['a number', 7],
    ['what JSON cannot hold', [{ type: 'text', text: 'hi', extra: 10n }]],
    [
      'an accessor that throws',
      [
        {
          type: 'text',
          get text() {
            throw new Error('sentinel')
          },
        },
      ],
    ],
    ['more than 4 Mi characters', 'x'.repeat(4 * 1024 * 1024)],
  ])('refuses %s, with nothing written', async (_name, input) => {
    const { session, store, requests } = await openSession({ responses: [{ text: 'ok' }] })
    const before = await store.ledger.find(session.id)

    const submission = session.submit(input as string)
    const refused = await submission.accepted.catch((error: unknown) => error)

    expect(refused).toMatchObject({ name: 'SessionError', code: 'input_invalid' })
    expect(await submission.result()).toMatchObject({ status: 'rejected', error: { code: 'input_invalid' } })
    expect(await typesOf(submission)).toEqual([])
    expect(await store.ledger.find(session.id)).toEqual(before)
    expect(requests).toEqual([])
  })

  it('refuses an id that is no UUID, which no restore could read back', async () => {
    const { session } = await openSession({ responses: [{ text: 'ok' }] })

    const result = await session.submit('Hi', { inputId: 'mine' as InputId }).result()

    expect(result).toMatchObject({ status: 'rejected', error: { code: 'input_invalid' } })
    expect(result.error?.message).toMatch(/inputId/)
  })

  it('takes text and pictures, without empty texts', async () => {
    const { session } = await openSession({ responses: [{ text: 'a cat' }] })
    const picture: Block = { type: 'image', mediaType: 'image/png', data: 'iVBO' }

    await session.submit([{ type: 'text', text: 'What is it?' }, { type: 'text', text: '' }, picture]).result()

    expect(session.history()[0]?.blocks).toEqual([{ type: 'text', text: 'What is it?' }, picture])
  })

  it('refuses a picture for a model that takes none', async () => {
    const client = scriptedClient([{ text: 'never asked' }])
    const loop = defineLoop({ name: 'main', client, model: { provider: 'scripted', name: 'm' } })
    await using session = await defineRig({ loops: [loop], store: memoryStore() }).newSession()

    const result = await session.submit([{ type: 'image', mediaType: 'image/png', data: 'iVBO' }]).result()

    expect(result).toMatchObject({ status: 'rejected', error: { code: 'input_invalid' } })
  })

  it('copies the input at the call', async () => {
    const { session, requests } = await openSession({ responses: [{ text: 'ok' }] })
    const blocks: { type: 'text'; text: string }[] = [{ type: 'text', text: 'before' }]
    const submission = session.submit(blocks)

    blocks.push({ type: 'text', text: 'after' })
    if (blocks[0] !== undefined) blocks[0].text = 'changed'
    await submission.result()

    expect(requests[0]?.messages).toEqual([{ role: 'user', blocks: [{ type: 'text', text: 'before' }] }])
  })

  it('accepts when the input is durable, and not before', async () => {
    const hold = createDeferred<void>()
    const store = faultyStore(memoryStore(), (number) =>
      number === 2 ? { kind: 'hooked', before: () => hold.promise } : undefined,
    )
    const { session } = await openSession({ responses: [{ text: 'ok' }], store })
    let accepted = false
    const submission = session.submit('Hi')
    submission.accepted.then(() => (accepted = true)).catch(() => undefined)
    await delivered()

    const before = [accepted, session.history().length]
    hold.resolve()
    await submission.accepted
    const records = await store.ledger.read({ session: session.id, after: 0, limit: 10 })

    expect(before).toEqual([false, 0])
    expect(records.map((record) => record.id)).toContain(`in/${submission.inputId}`)
  })
})

describe('the same input again', () => {
  it('joins the running turn: one turn, and the rest of its events', async () => {
    const goOn = createDeferred<void>()
    const asked = createDeferred<void>()
    const client = streamingClient(async function* () {
      asked.resolve()
      await goOn.promise
      yield* textEvents('once')
      yield { type: 'finish', reason: 'stop' }
    })
    const { session, requests } = await openSession({ client })
    const first = session.submit('Hi', { inputId: chosenId })
    await asked.promise

    const second = session.submit('Hi', { inputId: chosenId })
    await second.accepted
    goOn.resolve()

    expect(await second.result()).toEqual(await first.result())
    expect(await typesOf(second)).toEqual(['TokenDelta', 'StepDone', 'TurnDone'])
    expect(requests).toHaveLength(1)
  })

  it('gives the outcome of a turn that ended', async () => {
    const { session, requests } = await openSession({ responses: [{ text: 'once' }] })
    await session.submit('Hi', { inputId: chosenId }).result()

    const again = session.submit('Hi', { inputId: chosenId })
    await again.accepted

    expect(await again.result()).toMatchObject({ status: 'done', text: 'once' })
    expect(await typesOf(again)).toEqual([])
    expect(requests).toHaveLength(1)
  })

  it('gives the outcome after a restore', async () => {
    const { session, rig, requests } = await openSession({ responses: [{ text: 'once' }] })
    const first = await session.submit('Hi', { inputId: chosenId }).result()
    await session.shutdown()
    await using restored = await rig.restoreSession(session.id)

    const again = await restored.submit('Hi', { inputId: chosenId }).result()

    expect(again).toEqual(first)
    expect(requests).toHaveLength(1)
  })

  it('is a conflict with other content, now and after a restore', async () => {
    const { session, rig } = await openSession({ responses: [{ text: 'once' }] })
    await session.submit('Hi', { inputId: chosenId }).result()
    const live = await session.submit('Ho', { inputId: chosenId }).result()
    await session.shutdown()
    await using restored = await rig.restoreSession(session.id)

    const later = await restored.submit('Ho', { inputId: chosenId }).result()

    expect([live, later]).toMatchObject(Array(2).fill({ status: 'rejected', error: { code: 'input_conflict' } }))
    expect(await restored.submit('Hi', { inputId: chosenId }).result()).toMatchObject({ status: 'done', text: 'once' })
  })
})

describe('Submission', () => {
  it('tells the events of its own input only, from acceptance to the end', async () => {
    const { session } = await openSession({ responses: [{ text: 'one' }, { text: 'two' }] })
    const first = session.submit('1')
    const second = session.submit('2')

    const told = [await typesOf(first), await typesOf(second)]

    const turn = ['TurnStarted', 'TokenDelta', 'TokenDelta', 'TokenDelta', 'StepDone', 'TurnDone']
    expect(told).toEqual([turn, ['InputQueued', ...turn]])
  })

  it('leaves an open question to a person unanswered: neither iteration nor result end', async () => {
    const { session, recording } = await openSession({
      responses: [calling({ name: 'touch' }), { text: 'ok' }],
      tools: [effectTool('touch', () => undefined)],
      gate: interactiveGate({ access: [allowing('ask')] }),
    })
    const submission = session.submit('Go')
    let ended = false
    const told = typesOf(submission).finally(() => (ended = true))
    const { gateId } = await recording.waitFor('PermissionRequested')
    await delivered()
    const before = ended

    await session.answer(gateId, { action: 'approve' })

    expect(before).toBe(false)
    expect(await told).toContain('GateResolved')
    expect((await submission.result()).status).toBe('done')
  })

  it('gives the same result to everyone who asks', async () => {
    const { session } = await openSession({ responses: [{ text: 'ok' }] })
    const submission = session.submit('Hi')

    const [first, second] = await Promise.all([submission.result(), submission.result()])
    const changed = Reflect.set(first, 'text', 'forged')

    expect(changed).toBe(false)
    expect(second).toEqual(first)
    expect(second.text).toBe('ok')
  })

  it('reports no unhandled rejection when nobody looks at a refusal', async () => {
    const unhandled = unhandledRejections()
    const { session } = await openSession({ responses: [{ text: 'ok' }] })

    session.submit('')
    session.submit('Hi', { inputId: chosenId })
    session.submit('Ho', { inputId: chosenId, signal: new AbortController().signal })
    await session.shutdown()
    session.submit('late')
    await delivered()
    await delivered()

    expect(unhandled).toEqual([])
  })

  it('reports no unhandled rejection when the session faults', async () => {
    const unhandled = unhandledRejections()
    const store = faultyStore(memoryStore(), faultFrom(3, { kind: 'refused' }))
    const { session } = await openSession({ responses: [{ text: 'ok' }], store })

    session.submit('Hi')
    const queued = session.submit('And', { signal: new AbortController().signal })
    const failed = await queued.result().catch((error: unknown) => error)
    session.submit('late')
    await delivered()
    await delivered()

    expect(failed).toBeInstanceOf(SessionFaultedError)
    expect(unhandled).toEqual([])
  })

  it('reports no unhandled rejection of an abandoned stream or tool', async () => {
    const unhandled = unhandledRejections()
    const client = streamingClient(async function* (_n, signal) {
      yield* textEvents('a')
      await whenAborted(signal)
      throw new Error('late')
    })
    const { session, recording } = await openSession({ client })
    session.submit('Hi')
    await recording.waitFor('TokenDelta')

    await session.interrupt()
    await delivered()
    await delivered()

    expect(unhandled).toEqual([])
  })
})

describe('TurnResult.status', () => {
  it('is waiting for an input that was parked at a gate, and for one in the queue behind it', async () => {
    const { session, recording } = await openSession({
      responses: [calling({ name: 'touch' })],
      tools: [effectTool('touch', () => undefined)],
      gate: interactiveGate({ access: [allowing('ask')] }),
    })
    const parked = session.submit('Go')
    const queued = session.submit('And')
    await recording.waitFor('PermissionRequested')

    await session.shutdown()

    expect(await parked.result()).toMatchObject({ status: 'waiting', turnId: expect.any(String) })
    expect(await queued.result()).toMatchObject({ status: 'waiting', text: '' })
  })
})
