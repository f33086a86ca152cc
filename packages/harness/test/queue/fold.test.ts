import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import type { Submission } from '../../src/index.ts'
import { faultyStore } from '../../src/testing.ts'
import { calling, delivered } from '../session/open-session.ts'
import { openBusy } from './busy-session.ts'
import { openSteered, rolesIn, saidIn } from './steered-session.ts'

async function typesOf(submission: Submission): Promise<string[]> {
  const types: string[] = []
  for await (const { event } of submission) types.push(event.type)
  return types
}

describe('an input that comes while calls run', () => {
  it('joins the turn before the model is asked again, with all others, in order', async () => {
    const { session, first, goOn, requests, types, recording } = await openSteered()
    const [a, b] = [session.submit('a'), session.submit('b')]
    await Promise.all([a.accepted, b.accepted])

    goOn()
    await first.result()

    expect(await types('TokenDelta', 'ToolInputDelta')).toEqual([
      ...['TurnStarted', 'SessionActive', 'PermissionDecided', 'ToolCallStarted', 'InputQueued', 'InputQueued'],
      ...['ToolCallCompleted', 'StepDone', 'TurnFoldedInto', 'TurnFoldedInto'],
      ...['StepDone', 'TurnDone', 'LoopIdle', 'SessionIdle'],
    ])
    expect(recording.events('TurnFoldedInto').map((event) => event.inputId)).toEqual([a.inputId, b.inputId])
    expect(saidIn(requests[1])).toEqual(['first', 'a', 'b'])
    expect(rolesIn(requests[1])).toEqual(['user', 'assistant', 'tool', 'user', 'user'])
    expect(requests).toHaveLength(2)
  })

  it('is durable in one append with the step before it', async () => {
    const store = faultyStore(memoryStore(), () => undefined)
    const { session, first, goOn } = await openSteered({ store })
    await session.submit('a').accepted

    goOn()
    await first.result()

    const groups = store.appends.map(({ records }) => records.map(({ body }) => JSON.parse(body).type))
    expect(groups.filter((types) => types.includes('TurnFoldedInto'))).toEqual([['StepDone', 'TurnFoldedInto']])
  })

  it('shares the outcome of the turn under its own id, and sees the rest of its events', async () => {
    const { session, first, goOn } = await openSteered()
    const joined = session.submit('a')
    await joined.accepted

    goOn()
    const [one, other] = await Promise.all([first.result(), joined.result()])

    expect(other).toEqual({ ...one, inputId: joined.inputId })
    expect(other).toMatchObject({ status: 'done', text: 'done' })
    expect(await typesOf(joined)).toEqual([
      ...['InputQueued', 'TurnFoldedInto', 'TokenDelta', 'TokenDelta', 'TokenDelta', 'TokenDelta'],
      ...['StepDone', 'TurnDone'],
    ])
    expect(await typesOf(first)).toContain('TurnFoldedInto')
  })

  it('is shown to every later turn where it was said', async () => {
    const { session, first, goOn, requests } = await openSteered({ after: [{ text: 'done' }, { text: 'next' }] })
    await session.submit('a').accepted
    goOn()
    await first.result()

    await session.submit('later').result()

    expect(rolesIn(requests[2])).toEqual(['user', 'assistant', 'tool', 'user', 'assistant', 'user'])
    expect(session.history().map(({ role }) => role)).toEqual([...rolesIn(requests[2]), 'assistant'])
  })

  it('may come before each further request of the turn', async () => {
    const after = [calling({ name: 'work' }), { text: 'done' }]
    const { session, first, goOn, again, requests } = await openSteered({ after })
    await session.submit('a').accepted
    goOn()
    await again(2)
    await session.submit('b').accepted

    goOn(2)
    await first.result()

    expect(requests.map(saidIn)).toEqual([['first'], ['first', 'a'], ['first', 'a', 'b']])
  })

  it('shares a failure too', async () => {
    const { session, first, goOn } = await openSteered({ after: [{ error: { code: 'overloaded' } }] })
    const joined = session.submit('a')
    await joined.accepted

    goOn()
    const results = await Promise.all([first.result(), joined.result()])

    expect(results).toMatchObject(Array(2).fill({ status: 'failed', error: { code: 'overloaded' } }))
  })

  it('shares an interrupt too, and stays in the transcript', async () => {
    const { session, first, goOn, again } = await openSteered({ after: [calling({ name: 'work' })] })
    const joined = session.submit('a')
    await joined.accepted
    goOn()
    await again(2)

    const interrupted = session.interrupt()
    goOn(2)
    await interrupted
    const results = await Promise.all([first.result(), joined.result()])

    expect(results.map(({ status }) => status)).toEqual(['interrupted', 'interrupted'])
    expect(session.history().map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
      'assistant',
      'tool',
    ])
  })

  it('does not join a turn that is being interrupted: it begins the next one', async () => {
    const { session, first, goOn } = await openSteered({ after: [{ text: 'next' }] })
    const kept = session.submit('a')
    await kept.accepted

    const interrupted = session.interrupt()
    goOn()
    await interrupted

    expect((await first.result()).status).toBe('interrupted')
    expect(await kept.result()).toMatchObject({ status: 'done', text: 'next' })
    expect((await kept.result()).turnId).not.toBe((await first.result()).turnId)
  })

  it('is given its outcome when it is submitted again after it joined', async () => {
    const { session, first, goOn, again } = await openSteered({ after: [calling({ name: 'work' }), { text: 'done' }] })
    const joined = session.submit('a')
    await joined.accepted
    goOn()
    await again(2)

    const repeated = session.submit('a', { inputId: joined.inputId })
    goOn(2)
    await first.result()

    expect(await repeated.result()).toEqual(await joined.result())
    expect(await typesOf(repeated)).toContain('TurnDone')
  })

  it('does not end the turn of another when its own signal aborts', async () => {
    const { session, first, goOn, again } = await openSteered({ after: [calling({ name: 'work' }), { text: 'done' }] })
    const stop = new AbortController()
    await session.submit('a', { signal: stop.signal }).accepted
    goOn()
    await again(2)

    stop.abort()
    await delivered()
    goOn(2)

    expect((await first.result()).status).toBe('done')
  })
})

describe('an input that does not join', () => {
  it('begins its own turn after a final answer, however early it came', async () => {
    const { session, first, goOn, requests, recording } = await openBusy()
    const second = session.submit('second')
    await second.accepted

    goOn('answer')
    await second.result()
    await delivered()

    expect(recording.events('TurnFoldedInto')).toEqual([])
    expect(requests.map(saidIn)).toEqual([['first'], ['first', 'second']])
    expect((await first.result()).turnId).not.toBe((await second.result()).turnId)
  })

  it('waits for a turn of its own with noFold, and so does all behind it', async () => {
    const after = [{ text: 'one' }, { text: 'two' }, { text: 'three' }]
    const { session, first, goOn, requests } = await openSteered({ after })
    const joined = session.submit('a')
    const own = session.submit('b', { noFold: true })
    const behind = session.submit('c')
    await behind.accepted

    goOn()
    const results = await Promise.all([first, joined, own, behind].map((submission) => submission.result()))

    expect(results.map(({ text }) => text)).toEqual(['one', 'one', 'two', 'three'])
    expect(requests.map(saidIn)).toEqual([['first'], ['first', 'a'], ['first', 'a', 'b'], ['first', 'a', 'b', 'c']])
  })

  it('keeps noFold across a restore', async () => {
    const { session, rig, goOn, requests } = await openSteered({
      after: [calling({ name: 'work' }), { text: 'one' }, { text: 'two' }],
    })
    const [a, b] = [session.submit('a', { noFold: true }), session.submit('b', { noFold: true })]
    await Promise.all([a.accepted, b.accepted])
    const closed = session.shutdown()
    goOn()
    await closed
    goOn(2)

    await using restored = await rig.restoreSession(session.id)
    await restored.waitIdle()

    expect(requests.slice(1).map(saidIn)).toEqual([
      ['first', 'a'],
      ['first', 'a'],
      ['first', 'a', 'b'],
    ])
  })

  it('does not join a turn whose model takes no images', async () => {
    const plain = { provider: 'scripted', name: 'plain' }
    const { session, first, goOn, requests } = await openSteered({
      loop: { model: plain },
      after: [{ text: 'one' }, { text: 'two' }, { text: 'three' }],
    })
    await session.setModel({ ...plain, capabilities: { images: true } })
    const picture = session.submit([{ type: 'image', mediaType: 'image/png', data: 'iVBO' }])
    const behind = session.submit('behind')
    await Promise.all([picture.accepted, behind.accepted])

    goOn()
    const results = await Promise.all([first, picture, behind].map((submission) => submission.result()))

    expect(results.map(({ status }) => status)).toEqual(['done', 'done', 'done'])
    expect(requests.map(({ model }) => model.capabilities?.images === true)).toEqual([false, false, true, true])
    expect(rolesIn(requests[1])).toEqual(['user', 'assistant', 'tool'])
  })
})
