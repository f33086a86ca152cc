import { InferenceError } from '@looprig/inference'
import { describe, expect, it } from 'vitest'
import { delivered, openSession, streamingClient, textEvents, whenAborted } from '../session/open-session.ts'

describe('runTurn', () => {
  it('answers a text with one committed message', async () => {
    const { session } = await openSession({ responses: [{ text: 'Hello there.' }] })

    const result = await session.submit('Hi').result()

    expect(result).toMatchObject({ status: 'done', text: 'Hello there.', usage: { inputTokens: 1, outputTokens: 3 } })
    expect(session.history()).toEqual([{ role: 'user', blocks: [{ type: 'text', text: 'Hi' }] }, result.message])
  })

  it('tells the events of a text turn in their order, caused by its input', async () => {
    const { session, recording, types } = await openSession({ responses: [{ text: 'ab' }] })

    const submission = session.submit('Hi')
    await submission.result()
    const told = await types()

    expect(told).toEqual([
      'TurnStarted',
      'SessionActive',
      'TokenDelta',
      'TokenDelta',
      'StepDone',
      'TurnDone',
      'LoopIdle',
      'SessionIdle',
    ])
    const [started] = recording.events('TurnStarted')
    const [done] = recording.events('TurnDone')
    expect(started).toMatchObject({ inputId: submission.inputId, turnIndex: 1 })
    expect(done).toMatchObject({ inputId: submission.inputId, turnId: started?.turnId, usage: { inputTokens: 1 } })
  })

  it('gives enduring events growing seqs and ephemeral ones none', async () => {
    const { session, recording } = await openSession({ responses: [{ thinking: 'hm', text: 'ab' }] })

    await session.submit('Hi').result()

    await delivered()
    const seqs = recording.deliveries.flatMap(({ seq }) => (seq === null ? [] : [seq]))
    const unnumbered = recording.deliveries.filter(({ seq }) => seq === null).map(({ event }) => event.type)
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
    expect(new Set(unnumbered)).toEqual(new Set(['ThinkingDelta', 'TokenDelta']))
  })

  it('passes on that a request is sent again', async () => {
    const client = streamingClient(async function* () {
      yield { type: 'retrying', attempt: 1, delayMs: 20, code: 'overloaded' }
      yield* textEvents('late')
      yield { type: 'finish', reason: 'stop' }
    })
    const { session, recording } = await openSession({ client })

    const result = await session.submit('Hi').result()
    await delivered()

    expect(result.text).toBe('late')
    expect(recording.events('Retrying')).toMatchObject([{ attempt: 1, delayMs: 20, code: 'overloaded' }])
  })

  it.each([
    ['no block', []],
    ['an empty text', [...textEvents('')]],
    ['thinking that says nothing', [{ type: 'block_start', blockIndex: 0, block: { type: 'thinking' } } as const]],
  ])('fails on a response with %s', async (_name, events) => {
    const client = streamingClient(async function* () {
      yield* events
      yield { type: 'finish', reason: 'stop' }
    })
    const { session } = await openSession({ client })

    const result = await session.submit('Hi').result()

    expect(result).toMatchObject({ status: 'failed', error: { code: 'empty_response' } })
    expect(session.history()).toHaveLength(1)
  })

  it('takes a refusal without text as an answer', async () => {
    const client = streamingClient(async function* () {
      yield { type: 'block_start', blockIndex: 0, block: { type: 'refusal' } }
      yield { type: 'finish', reason: 'refusal' }
    })
    const { session } = await openSession({ client })

    const result = await session.submit('Hi').result()

    expect(result).toMatchObject({ status: 'done', text: '', message: { blocks: [{ type: 'refusal', text: '' }] } })
  })

  it('takes the next turn up from where the last one ended', async () => {
    const { session, requests, recording } = await openSession({ responses: [{ text: 'one' }, { text: 'two' }] })

    await session.submit('first').result()
    await session.submit('second').result()
    await delivered()

    expect(requests[1]?.messages).toEqual(session.history().slice(0, 3))
    expect(recording.events('TurnStarted').map((event) => event.turnIndex)).toEqual([1, 2])
  })

  it('tells a failure of the client that is no inference error without its detail', async () => {
    const client = streamingClient(() => {
      throw new Error('sentinel-secret')
    })
    const { session, recording } = await openSession({ client })

    const result = await session.submit('Hi').result()
    await recording.waitFor('SessionIdle')

    expect(result).toMatchObject({ status: 'failed', error: { code: 'internal' } })
    expect(JSON.stringify([result, recording.deliveries])).not.toMatch(/sentinel/)
  })
})

describe('streamStep', () => {
  it('keeps nothing of a request that failed before any text', async () => {
    const { session, types } = await openSession({ responses: [{ error: { code: 'overloaded' } }] })

    const result = await session.submit('Hi').result()

    expect(result).toMatchObject({ status: 'failed', text: '', error: { code: 'overloaded' } })
    expect(session.history()).toHaveLength(1)
    expect(await types()).not.toContain('StepDone')
  })

  it('keeps the text of a response that broke off, with a notice and without its calls', async () => {
    const client = streamingClient(async function* () {
      yield* textEvents('I will')
      yield { type: 'block_start', blockIndex: 1, block: { type: 'tool_use', id: 'c1', name: 'Wipe' } }
      yield { type: 'tool_input_delta', blockIndex: 1, text: '{}' }
      throw new InferenceError('network', 'the connection was lost')
    })
    const { session, types } = await openSession({ client })

    const result = await session.submit('Hi').result()

    expect(result).toMatchObject({ status: 'failed', error: { code: 'network' } })
    const [, answer] = session.history()
    expect(answer?.blocks).toEqual([
      { type: 'text', text: 'I will' },
      { type: 'text', text: expect.stringMatching(/cut off/) },
    ])
    const told = await types('TokenDelta', 'ToolInputDelta')
    expect(told.slice(-4)).toEqual(['StepDone', 'TurnFailed', 'LoopIdle', 'SessionIdle'])
  })

  it('keeps sealed thinking beside the text, and no other thinking', async () => {
    const client = streamingClient(async function* () {
      yield { type: 'block_start', blockIndex: 0, block: { type: 'thinking' } }
      yield { type: 'block_state', blockIndex: 0, seal: { format: 'f', signature: 's' } }
      yield { type: 'block_start', blockIndex: 1, block: { type: 'thinking' } }
      yield { type: 'thinking_delta', blockIndex: 1, text: 'loose' }
      yield* textEvents('so', 2)
      throw new InferenceError('network', 'lost')
    })
    const { session } = await openSession({ client })

    await session.submit('Hi').result()

    const kept = session.history()[1]?.blocks.map((block) => block.type)
    expect(kept).toEqual(['thinking', 'text', 'text'])
    expect(JSON.stringify(session.history())).not.toContain('loose')
  })

  it('fails a stream that ends before its end marker as truncated, whoever made it', async () => {
    const stream = () => ({
      async *[Symbol.asyncIterator]() {
        yield* textEvents('half')
      },
      result: () => Promise.reject(new Error('not used')),
    })
    const { session } = await openSession({ client: { stream, invoke: () => stream().result() } })

    const result = await session.submit('Hi').result()

    expect(result).toMatchObject({ status: 'failed', error: { code: 'truncated' } })
    expect(result.text).toMatch(/^half\n\n\[The answer was cut off/)
  })

  it('fails a response that is longer than any answer, and goes on with the next input', async () => {
    const client = streamingClient(async function* (n) {
      if (n === 1) for (let at = 0; at < 3; at += 1) yield* textEvents('\u0001'.repeat(400_000), at)
      else yield* textEvents('fine')
      yield { type: 'finish', reason: 'stop' }
    })
    const { session } = await openSession({ client })

    const first = await session.submit('Hi').result()
    const second = await session.submit('Again').result()

    expect(first).toMatchObject({ status: 'failed' })
    expect(second).toMatchObject({ status: 'done', text: 'fine' })
  })

  it('gives the client the signal of the turn', async () => {
    let seen: AbortSignal | undefined
    const client = streamingClient(async function* (_n, signal) {
      seen = signal
      yield* textEvents('a')
      await whenAborted(signal)
    })
    const { session, recording } = await openSession({ client })
    session.submit('Hi')
    await recording.waitFor('TokenDelta')

    await session.interrupt()

    expect(seen?.aborted).toBe(true)
  })
})
