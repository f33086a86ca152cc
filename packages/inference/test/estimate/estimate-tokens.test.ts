import { type Block, mediaBlock, type StreamEvent, type Usage, userMessage } from '@looprig/core'
import {
  createInferenceStream,
  estimateTokens,
  type InferenceClient,
  type InferenceRequest,
  tokenEstimator,
} from '@looprig/inference'
import { describe, expect, it } from 'vitest'
import { ask, failureOf } from '../support/requests.ts'

const said = (...blocks: readonly Block[]): InferenceRequest => ask('', { messages: [{ role: 'user', blocks }] })
const base64 = (bytes: number): string => Buffer.alloc(bytes, 7).toString('base64')

/** A client whose every response reports this usage. */
function reporting(usage: Usage): InferenceClient {
  const stream: InferenceClient['stream'] = (_request, options) =>
    createInferenceStream(async function* (): AsyncGenerator<StreamEvent, void, undefined> {
      yield { type: 'finish', reason: 'stop', usage }
    }, options?.signal)
  return { stream, invoke: (request, options) => stream(request, options).result() }
}

describe('estimateTokens', () => {
  it.each([
    ['nothing but a message', ask(''), 4],
    ['400 characters of ASCII', ask('word '.repeat(80)), 104],
    ['100 characters of three bytes', ask('字'.repeat(100)), 104],
    ['half of a surrogate pair', ask('\ud83d'), 5],
    ['instructions', ask('', { system: 'x'.repeat(400) }), 104],
    [
      'a tool',
      ask('', { tools: [{ name: 'find', description: 'd'.repeat(36), inputSchema: { type: 'object' } }] }),
      28,
    ],
    ['a call', said({ type: 'tool_use', id: 'c', name: 'find', input: { a: 'b'.repeat(292) } }), 109],
  ] as const)('counts %s', (_what, request, tokens) => {
    expect(estimateTokens(request)).toBe(tokens)
  })

  it.each([
    ['a picture of 5 MB', mediaBlock('image', { mediaType: 'image/png', data: base64(5_000_000) }), 1000, 2000],
    ['a picture by URL', mediaBlock('image', { mediaType: 'image/png', url: 'https://a.test/b' }), 1000, 2000],
    [
      'a PDF of 800 KB',
      mediaBlock('document', { mediaType: 'application/pdf', data: base64(800_000) }),
      15_000,
      25_000,
    ],
    [
      'a document of which text is sent',
      mediaBlock('document', { mediaType: 'text/plain', text: 'x'.repeat(400) }),
      100,
      110,
    ],
    ['a sound of 500 KB', mediaBlock('audio', { mediaType: 'audio/mpeg', data: base64(500_000) }), 500, 1500],
    [
      'an encrypted thought of 1 MB',
      { type: 'thinking', text: '', state: { format: 'x', data: base64(1_000_000) } },
      1,
      3000,
    ],
    ['a sealed thought', { type: 'thinking', text: 'hm', seal: { format: 'x', signature: base64(9000) } }, 1, 10],
  ] as const)('does not take base64 for text: %s', (_what, block, least, most) => {
    const tokens = estimateTokens(said(block))

    expect(tokens).toBeGreaterThanOrEqual(least)
    expect(tokens).toBeLessThanOrEqual(most)
  })

  it('counts a message once and knows it again', () => {
    let reads = 0
    const blocks = new Proxy<Block[]>([{ type: 'text', text: 'Hi' }], {
      get: (target, key, receiver) => {
        reads += 1
        return Reflect.get(target, key, receiver)
      },
    })
    const message = { role: 'user', blocks } as const

    const first = estimateTokens(ask('', { messages: [message] }))
    const readsOfFirst = reads
    const second = estimateTokens(ask('', { messages: [message, userMessage('')] }))

    expect(reads).toBe(readsOfFirst)
    expect(second).toBe(first + 4)
  })
})

/** The seam of the harness, as it is written there. */
interface ContextCounter {
  count(request: InferenceRequest, options: { readonly signal: AbortSignal }): Promise<number>
  readonly exact: boolean
}

describe('tokenEstimator', () => {
  it('fits where a counter of context is wanted', async () => {
    const counter: ContextCounter = tokenEstimator()

    const tokens = await counter.count(ask('x'.repeat(400)), { signal: new AbortController().signal })

    expect([tokens, counter.exact]).toEqual([104, false])
  })

  it.each(['stream', 'result', 'invoke'] as const)('learns from the usage of a response by %s', async (how) => {
    const estimator = tokenEstimator()
    const client = estimator.learningFrom(reporting({ inputTokens: 6, cacheReadTokens: 100, cacheCreationTokens: 50 }))
    const request = ask('x'.repeat(400))

    if (how === 'invoke') await client.invoke(request)
    else {
      const stream = client.stream(request)
      if (how === 'stream') for await (const _ of stream);
      await stream.result()
    }

    const longer = await estimator.count(ask('x'.repeat(4000)))
    expect(await estimator.count(request)).toBe(156)
    expect(longer / (1004 * 1.5)).toBeCloseTo(1, 1)
    expect(await estimator.count(ask('x'.repeat(400), { model: { provider: 'test', name: 'other' } }))).toBe(104)
  })

  it.each([
    [{ inputTokens: 1_000_000 }, 416],
    [{ inputTokens: 1 }, 26],
    [{}, 104],
  ])('corrects by a bounded factor: %j', async (usage, expected) => {
    const estimator = tokenEstimator()
    const request = ask('x'.repeat(400))

    await estimator.learningFrom(reporting(usage)).invoke(request)

    expect(await estimator.count(request)).toBe(expected)
  })

  it('leaves the stream as it is: read once, and ended when its reader leaves', async () => {
    const stream = tokenEstimator().learningFrom(reporting({})).stream(ask())

    for await (const _ of stream) break

    expect((await failureOf(stream.result())).code).toBe('aborted')
    expect(() => stream[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: 'stream_consumed' }))
  })
})
