/** A model that sends anything at all: a turn ends, the session lives, and the next request is one that a provider takes. */
import { type StreamEvent, textOf } from '@looprig/core'
import { type InferenceClient, InferenceError, type InferenceStream } from '@looprig/inference'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fakeClock } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'
import {
  effectTool,
  openSession,
  resultTexts,
  streamingClient,
  textEvents,
  whenAborted,
} from '../session/open-session.ts'
import { expectLawful } from './journal-laws.ts'

const index = fc.constantFrom(0, 0, 1, 1, 2, -1, 7)
const text = fc.constantFrom('so', '', ' ', '\u0000', '\ud83d', 'x'.repeat(5_000), '[the end]')
const args = fc.constantFrom(
  '{}',
  '{"value":"a"}',
  '',
  '{"value":',
  'null',
  '[]',
  '{"value":1}',
  '{"__proto__":{}}',
  '"x"',
)
const name = fc.constantFrom('work', 'work', 'work', 'never', '', 'a'.repeat(300), '\u0007\n', 'StartAgent', 'toString')
const id = fc.constantFrom('id', 'id', 'c1', '', '\ud83d', 'y'.repeat(300))

/** An event, or something that only looks like one. */
const piece: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('text_delta'), blockIndex: index, text }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('thinking_delta'), blockIndex: index, text }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('tool_input_delta'), blockIndex: index, text: args }) },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('block_start'),
      blockIndex: index,
      block: fc.oneof(
        fc.record({ type: fc.constantFrom('text', 'thinking', 'refusal') }),
        fc.record({ type: fc.constant('tool_use'), id, name }),
        fc.constantFrom({ type: 'image', mediaType: 'image/png', data: 'AAAA' }, { type: 'tool_result' }, {}, null),
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('block_end'), blockIndex: index }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('block_state'),
      blockIndex: index,
      seal: fc.constantFrom(undefined, { format: 'f', signature: 's' }, { format: 7 }),
      state: fc.constantFrom(undefined, { format: 'f', data: 'd' }, 'state'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { type: 'finish', reason: 'length' },
      { type: 'retrying', attempt: 1, delayMs: 5, code: 'overloaded' },
      { type: 'unheard_of' },
      {},
      null,
      'text',
      7,
    ),
  },
)

/** How a stream ends: as it should, in the middle, with a failure, or never. */
const ending = fc.constantFrom(
  'stop',
  'stop',
  'stop',
  'tool_use',
  'nothing',
  'error',
  'inference error',
  'no error',
  'never',
)

/** Fails with nothing at all. */
function failing(): AsyncIterable<StreamEvent> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject() }) }
}

/** What a provider counted, or what is no count at all. */
const usage = fc.constantFrom<unknown>(
  ...[
    undefined,
    { inputTokens: 5, outputTokens: 1 },
    { inputTokens: Number.NaN },
    { inputTokens: -1, outputTokens: 1.5 },
  ],
  ...[{ inputTokens: '5' }, { outputTokens: Number.POSITIVE_INFINITY }, 7, null, 'many', []],
)

async function* play(
  pieces: readonly unknown[],
  end: string,
  counted: unknown,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  yield* pieces as readonly StreamEvent[]
  if (end === 'stop' || end === 'tool_use') yield { type: 'finish', reason: end, usage: counted } as StreamEvent
  if (end === 'error') throw new Error('secret')
  if (end === 'inference error') throw new InferenceError('network', 'lost')
  if (end === 'no error') yield* failing()
  if (end === 'never') await whenAborted(signal)
}

describe('a model that sends anything at all', () => {
  it('ends its turn, and keeps a transcript that a provider takes', { timeout: 120_000 }, async () => {
    const responses = fc.array(fc.tuple(fc.array(piece, { maxLength: 12 }), ending, usage), {
      minLength: 1,
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(responses, async (all) => {
        const ran: string[] = []
        const client = streamingClient((n, signal) => {
          const [pieces, end, counted] = all[n - 1] ?? [[...textEvents('fine')], 'stop', undefined]
          return play(pieces, end, counted, signal)
        })
        const clock = fakeClock()
        const opened = await openSession({
          client,
          clock,
          tools: [effectTool('work', (value) => void ran.push(value))],
        })
        const { session, store, rig } = opened

        // what is left of the script is played to the next inputs
        for (let n = 0; n < 5; n += 1) {
          const submission = session.submit('go')
          const isOver = await Promise.race([submission.result().then(() => true), turnsOf(60).then(() => false)])
          if (!isOver) await session.interrupt()
          const { status, error } = await submission.result()

          expect(['done', 'failed', 'interrupted']).toContain(status)
          expect(error?.code).not.toBe('invalid_request')
          expect(JSON.stringify(error ?? '')).not.toContain('secret')
          expect(session.fault).toBeUndefined()
        }
        expect((await session.submit('at last').result()).status).toBe('done')
        await session.shutdown()
        expectLawful(await readRecords(store, session.id), new Map())
        const restored = await rig.restoreSession(session.id)
        expect(restored.history()).toEqual(session.history())
        await restored.shutdown()
      }),
      { numRuns: 200 },
    )
  })

  it('ends a compaction, when it is asked for a summary', { timeout: 120_000 }, async () => {
    const response = fc.tuple(fc.array(piece, { maxLength: 12 }), ending, usage)
    await fc.assert(
      fc.asyncProperty(response, async ([pieces, end, counted]) => {
        const client = streamingClient((_n, signal, { messages }) => {
          const isSummary = messages.length === 1 && textOf(messages[0]?.blocks ?? []).startsWith('<history>')
          return isSummary
            ? play(pieces, end, counted, signal)
            : play([...textEvents('long '.repeat(200))], 'stop', {}, signal)
        })
        const { session, store, rig } = await openSession({ client, loop: { context: { keepRecentSegments: 1 } } })
        await session.submit('one').result()
        await session.submit('two').result()

        const compacted = session.compact()
        const isOver = await Promise.race([compacted.then(() => true), turnsOf(60).then(() => false)])
        if (!isOver) await session.interrupt()
        const { status } = await compacted

        expect(['committed', 'rejected']).toContain(status)
        expect(session.fault).toBeUndefined()
        expect((await session.submit('at last').result()).status).toBe('done')
        await session.shutdown()
        expectLawful(await readRecords(store, session.id), new Map())
        const restored = await rig.restoreSession(session.id)
        expect(restored.history()).toEqual(session.history())
        await restored.shutdown()
      }),
      { numRuns: 150 },
    )
  })

  it.each<readonly [string, (healthy: InferenceClient['stream']) => unknown]>([
    [
      'throws at once',
      () => {
        throw new Error('secret')
      },
    ],
    ['gives nothing', () => undefined],
    ['gives a promise', async () => undefined],
    ['gives what cannot be iterated', () => ({ result: () => undefined })],
    ['gives an iterator without next', () => ({ [Symbol.asyncIterator]: () => ({}) })],
    [
      'gives what fails at being looked at',
      () =>
        new Proxy(
          {},
          {
            get: () => {
              throw new Error('secret')
            },
          },
        ),
    ],
    [
      'gives an iterator that rejects with nothing',
      () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject() }) }),
    ],
    ['gives an iterator of no results', () => ({ [Symbol.asyncIterator]: () => ({ next: async () => 7 }) })],
  ])('fails one turn and no more: a client that %s', async (_, stream) => {
    let n = 0
    const healthy = streamingClient(async function* () {
      yield* textEvents('fine')
      yield { type: 'finish', reason: 'stop' }
    })
    const client: InferenceClient = {
      ...healthy,
      stream: (request, options) => {
        n += 1
        return n === 1 ? (stream(healthy.stream) as InferenceStream) : healthy.stream(request, options)
      },
    }
    const { session } = await openSession({ client })

    const failed = await session.submit('go').result()
    const next = await session.submit('again').result()

    expect(failed.status).toBe('failed')
    expect(JSON.stringify(failed)).not.toContain('secret')
    expect(next).toMatchObject({ status: 'done', text: 'fine' })
  })

  it.each(['', ' '])(
    'gives a call without a name one, since providers refuse a history with such a call: %j',
    async (nameless) => {
      const client = streamingClient(async function* (n) {
        if (n === 1) yield { type: 'block_start', blockIndex: 0, block: { type: 'tool_use', id: 'c1', name: nameless } }
        else yield* textEvents('sorry')
        yield { type: 'finish', reason: 'stop' }
      })
      const { session } = await openSession({ client })

      expect(await session.submit('go').result()).toMatchObject({ status: 'done', text: 'sorry' })
      expect(resultTexts(session.history())).toEqual([expect.stringContaining('unknown tool')])
    },
  )

  it('stops a model that calls tools without end, and takes the next input', async () => {
    let n = 0
    const client = streamingClient(async function* () {
      n += 1
      yield { type: 'block_start', blockIndex: 0, block: { type: 'tool_use', id: 'same', name: 'work' } }
      yield { type: 'tool_input_delta', blockIndex: 0, text: '{}' }
      yield { type: 'finish', reason: 'tool_use' }
    })
    const { session } = await openSession({
      client,
      tools: [effectTool('work', () => undefined)],
      limits: { iterations: 5 },
    })

    const results = [await session.submit('go').result(), await session.submit('again').result()]

    expect(results.map(({ status, error }) => [status, error?.code])).toEqual([
      ['failed', 'tool_limit'],
      ['failed', 'tool_limit'],
    ])
    expect(n).toBe(12)
  })

  it('can be interrupted while it sends without end, and keeps no more than a response may hold', async () => {
    const client = streamingClient(async function* (n) {
      if (n > 1) {
        yield* textEvents('fine')
        yield { type: 'finish', reason: 'stop' }
        return
      }
      yield { type: 'block_start', blockIndex: 0, block: { type: 'text' } }
      for (;;) {
        yield { type: 'text_delta', blockIndex: 0, text: '' }
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    const { session } = await openSession({ client })
    const submission = session.submit('go')
    await turnsOf(20)

    expect(await session.interrupt()).toBe(true)
    expect((await submission.result()).status).toBe('interrupted')
    expect((await session.submit('again').result()).status).toBe('done')
  })
})

async function turnsOf(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
