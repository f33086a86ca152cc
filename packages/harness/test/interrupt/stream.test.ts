import type { InferenceClient } from '@looprig/inference'
import { scriptedClient } from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { delivered, openSession, streamingClient, textEvents, whenAborted } from '../session/open-session.ts'

/** The first response breaks off after `text` and waits for the abort; the others are whole. */
function hangingClient(text: string, asked = createDeferred<void>()) {
  const client = streamingClient(async function* (n, signal) {
    if (n > 1) {
      yield* textEvents(`answer ${n}`)
      yield { type: 'finish', reason: 'stop' }
      return
    }
    if (text !== '') yield* textEvents(text)
    asked.resolve()
    await whenAborted(signal)
  })
  return { client, asked: asked.promise }
}

describe('Session.interrupt', () => {
  it('keeps the text that had arrived, with a notice', async () => {
    const { client, asked } = hangingClient('Once upon')
    const { session, types } = await openSession({ client })
    const submission = session.submit('Tell')
    await asked
    await delivered()

    const interrupted = await session.interrupt()
    const result = await submission.result()

    expect(interrupted).toBe(true)
    expect(result).toMatchObject({ status: 'interrupted', text: 'Once upon\n\n[The answer was interrupted here.]' })
    expect((await types()).slice(-4)).toEqual(['StepDone', 'TurnInterrupted', 'LoopIdle', 'SessionIdle'])
  })

  it('keeps nothing when nothing had arrived', async () => {
    const { client, asked } = hangingClient('')
    const { session, types } = await openSession({ client })
    const submission = session.submit('Tell')
    await asked

    await session.interrupt()

    expect(await submission.result()).toMatchObject({ status: 'interrupted', text: '', usage: {} })
    expect(session.history()).toHaveLength(1)
    expect((await types()).slice(-3)).toEqual(['TurnInterrupted', 'LoopIdle', 'SessionIdle'])
  })

  it('resolves when the end is durable and in history', async () => {
    const { client, asked } = hangingClient('Once')
    const { session, store } = await openSession({ client })
    session.submit('Tell')
    await asked
    await delivered()

    await session.interrupt()
    const records = await store.ledger.read({ session: session.id, after: 0, limit: 100 })

    expect(records.some((record) => record.body.includes('TurnInterrupted'))).toBe(true)
    expect(session.history()).toHaveLength(2)
  })

  it('may be called by the client itself, before its stream has begun', async () => {
    let interrupting: Promise<boolean> | undefined
    const inner = scriptedClient([{ text: 'never read' }, { text: 'second' }])
    const stream: InferenceClient['stream'] = (request, options) => {
      interrupting ??= opened.session.interrupt()
      return inner.stream(request, options)
    }
    const opened = await openSession({ client: { stream, invoke: inner.invoke } })
    const first = opened.session.submit('Go')

    const result = await first.result()
    const next = await opened.session.submit('Again').result()

    expect(await interrupting).toBe(true)
    expect([result.status, next.status]).toEqual(['interrupted', 'done'])
    expect(opened.recording.events('TurnInterrupted')).toHaveLength(1)
  })

  it('resolves for the client that called it only when the turn has ended', async () => {
    let stateThen: string | undefined
    const inner = scriptedClient([{ text: 'never read' }])
    const stream: InferenceClient['stream'] = (request, options) => {
      opened.session.interrupt().then(
        () => {
          stateThen = opened.recording.events('TurnInterrupted').length === 1 ? 'ended' : 'running'
        },
        () => undefined,
      )
      return inner.stream(request, options)
    }
    const opened = await openSession({ client: { stream, invoke: inner.invoke } })

    await opened.session.submit('Go').result()
    await delivered()

    expect(stateThen).toBe('ended')
  })

  it('is false on an idle session and tells nothing', async () => {
    const { session, types } = await openSession({ responses: [{ text: 'ok' }] })
    const before = [await session.interrupt(), (await types()).length]
    await session.submit('Hi').result()
    const told = await types()

    const after = await session.interrupt()

    expect([...before, after]).toEqual([false, 0, false])
    expect(await types()).toEqual(told)
  })

  it('ends one turn once, however often it is called', async () => {
    const { client, asked } = hangingClient('Once')
    const { session, recording } = await openSession({ client })
    session.submit('Tell')
    await asked

    const answers = await Promise.all([session.interrupt(), session.interrupt()])
    const later = await session.interrupt()
    await recording.waitFor('SessionIdle')

    expect([...answers, later]).toEqual([true, true, false])
    expect(recording.events('TurnInterrupted')).toHaveLength(1)
  })

  it('goes on with what was queued, in order', async () => {
    const { client, asked } = hangingClient('Once')
    const { session, types } = await openSession({ client })
    session.submit('1')
    const queued = [session.submit('2'), session.submit('3')]
    await asked

    await session.interrupt()
    const results = await Promise.all(queued.map((submission) => submission.result()))

    expect(results.map((result) => [result.status, result.text])).toEqual([
      ['done', 'answer 2'],
      ['done', 'answer 3'],
    ])
    expect(await types('TokenDelta', 'InputQueued')).toEqual([
      ...['TurnStarted', 'SessionActive', 'StepDone', 'TurnInterrupted'],
      ...['TurnStarted', 'StepDone', 'TurnDone', 'TurnStarted', 'StepDone', 'TurnDone', 'LoopIdle', 'SessionIdle'],
    ])
  })

  it('does not wait for a client that ignores the abort, nor listen to it', async () => {
    const asked = createDeferred<void>()
    const goOn = createDeferred<void>()
    const stream = () => ({
      async *[Symbol.asyncIterator]() {
        yield* textEvents('early')
        asked.resolve()
        await goOn.promise
        yield* textEvents('late', 1)
        yield { type: 'finish', reason: 'stop' } as const
      },
      result: () => Promise.reject(new Error('not used')),
    })
    const { session, recording } = await openSession({ client: { stream, invoke: () => stream().result() } })
    const submission = session.submit('Tell')
    await asked.promise
    await delivered()

    await session.interrupt()
    goOn.resolve()
    await delivered()

    expect((await submission.result()).text).toBe('early\n\n[The answer was interrupted here.]')
    expect(recording.events('TokenDelta').map((event) => event.text)).toEqual(['early'])
  })
})

describe('SubmitOptions.signal', () => {
  it('interrupts the turn of its input', async () => {
    const { client, asked } = hangingClient('Once')
    const { session } = await openSession({ client })
    const stop = new AbortController()
    const submission = session.submit('Tell', { signal: stop.signal })
    await asked

    stop.abort()

    expect((await submission.result()).status).toBe('interrupted')
  })

  it('interrupts the turn at once when it was aborted before', async () => {
    const { client } = hangingClient('Once')
    const { session } = await openSession({ client })

    const result = await session.submit('Tell', { signal: AbortSignal.abort() }).result()

    expect(result.status).toBe('interrupted')
  })

  it('leaves the turn of another input alone', async () => {
    const { client, asked } = hangingClient('Once')
    const { session } = await openSession({ client })
    const stop = new AbortController()
    const first = session.submit('1')
    const second = session.submit('2', { signal: stop.signal })
    await asked
    await second.accepted

    stop.abort()
    await session.interrupt()

    expect((await first.result()).status).toBe('interrupted')
    expect((await second.result()).status).toBe('done')
  })

  it('means nothing after the end of its turn', async () => {
    const { session, types } = await openSession({ responses: [{ text: 'ok' }] })
    const stop = new AbortController()
    await session.submit('Hi', { signal: stop.signal }).result()
    const told = await types()

    stop.abort()

    expect(await types()).toEqual(told)
  })
})
