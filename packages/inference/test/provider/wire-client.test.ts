import { inspect } from 'node:util'
import type { StreamEvent } from '@looprig/core'
import { InferenceError } from '@looprig/inference'
import { afterEach, describe, expect, it } from 'vitest'
import type { StreamDecoder, WireCodec } from '../../src/codec/wire-codec.ts'
import { createWireClient, type WireClientParts } from '../../src/provider/wire-client.ts'
import type { FrameReader } from '../../src/wire/frame-reader.ts'
import { type Answer, events, json, type ProviderServer, startProvider } from '../support/provider-server.ts'
import { ask, failureOf } from '../support/requests.ts'

let server: ProviderServer

afterEach(() => server.close())

const text = (words: string): StreamEvent[] => [
  { type: 'block_start', blockIndex: 0, block: { type: 'text' } },
  { type: 'text_delta', blockIndex: 0, text: words },
  { type: 'block_end', blockIndex: 0 },
  { type: 'finish', reason: 'stop' },
]

/** A protocol whose stream is one frame. */
class OneFrame implements StreamDecoder {
  isDone = false
  readonly hasReason = false

  decode(frame: string, out: StreamEvent[]): void {
    this.isDone = true
    out.push(...text(frame))
  }

  end(): void {
    if (!this.isDone) throw new InferenceError('truncated', 'cut')
  }
}

const codec: WireCodec = {
  api: 'gemini',
  framing: 'sse',
  encode: ({ model }, mode) => ({
    path: `/models/${model.name}:${mode}?alt=sse`,
    body: '{"hi":true}',
    headers: { 'x-version': '1', 'x-beta': 'a' },
  }),
  decodeWhole: text,
  openStream: () => new OneFrame(),
  decodeError: (body, { status, header }) =>
    new InferenceError('invalid_request', `${body} ${header?.('x-error-type')}`, { status }),
}

async function start(...answers: [Answer, ...Answer[]]): Promise<void> {
  server = await startProvider(...answers)
}

function client(parts: Partial<WireClientParts> = {}, options: Parameters<typeof createWireClient>[0] = {}) {
  return createWireClient({ baseUrl: server.baseUrl, apiKey: 'key-0123456789', ...options }, { codec, ...parts })
}

describe('createWireClient', () => {
  it.each([
    ['bearer', 'authorization', 'Bearer key-0123456789'],
    ['api-key', 'api-key', 'key-0123456789'],
    ['x-api-key', 'x-api-key', 'key-0123456789'],
    ['x-goog-api-key', 'x-goog-api-key', 'key-0123456789'],
  ] as const)('sends the key as %s', async (keyHeader, name, value) => {
    await start(json(200, {}))

    await client({ keyHeader }).invoke(ask())

    expect(server.requests[0]?.headers[name]).toBe(value)
    expect(server.requests[0]?.headers.authorization).toBe(keyHeader === 'bearer' ? value : undefined)
  })

  it('joins the query of the base and that of the path', async () => {
    await start(events('Hi'))

    await client({}, { baseUrl: `${server.baseUrl}/?key=1` })
      .stream(ask())
      .result()

    expect(server.requests[0]?.path).toBe('/v1/models/lark-2:stream?key=1&alt=sse')
  })

  it('lets headers of the caller outrank those of the request, and these those of the protocol', async () => {
    await start(json(200, {}))

    await client({ headers: { 'x-version': '0', 'x-kept': 'k' } }, { headers: { 'X-Beta': 'b' } }).invoke(ask())

    expect(server.requests[0]?.headers).toMatchObject({ 'x-version': '1', 'x-kept': 'k', 'x-beta': 'b' })
  })

  it('signs what it sends, each time', async () => {
    await start(json(200, {}))
    const seen: string[] = []
    const signed = client({
      sign: async ({ url, headers, body }) => {
        seen.push(`${url.pathname} ${body}`)
        return { ...headers, authorization: `signed ${seen.length}` }
      },
    })

    await signed.invoke(ask())
    await signed.invoke(ask())

    expect(seen).toEqual(Array(2).fill('/v1/models/lark-2:whole {"hi":true}'))
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['signed 1', 'signed 2'])
  })

  it('reads a stream in the framing of the codec', async () => {
    await start(events('ignored'))
    const bytesSeen: FrameReader = { push: (bytes) => [`${bytes.length > 0}`], end: () => undefined }

    const { message } = await client({ codec: { ...codec, openFrames: async () => bytesSeen } })
      .stream(ask())
      .result()

    expect(message.blocks).toEqual([{ type: 'text', text: 'true' }])
  })

  it('decodes a whole body where a stream was asked for', async () => {
    await start(json(200, 'Hi'))

    expect((await client().stream(ask()).result()).message.blocks).toEqual([{ type: 'text', text: '"Hi"' }])
  })

  it('takes the error of the codec for a failed response, which may look into its headers', async () => {
    await start(json(400, 'no', { 'x-error-type': 'Throttled' }))

    const error = await failureOf(client().invoke(ask()))

    expect(error.message).toBe('"no" Throttled')
    expect(error.status).toBe(400)
  })

  it('is truncated where the decoder says so', async () => {
    await start(events())

    expect((await failureOf(client().stream(ask()).result())).code).toBe('truncated')
  })

  it('redacts the secrets of its parts and never shows them', async () => {
    await start(json(200, {}))
    const secret = 'AWS-canary-secret'
    let shown = ''
    const made = client({
      secrets: [secret],
      codec: {
        ...codec,
        decodeWhole: (_text, redact) => {
          shown = redact(`it is ${secret}`)
          return text('ok')
        },
      },
    })

    await made.invoke(ask())

    expect(shown).toBe('it is [redacted]')
    expect(inspect(made, { depth: 9, showHidden: true })).not.toContain('canary')
  })

  it('wants a base URL where the protocol has no default one', async () => {
    await start(json(200, {}))

    expect(() => client({}, { baseUrl: undefined })).toThrow(
      expect.objectContaining({ code: 'invalid_options', message: expect.stringMatching(/^baseUrl: /) }),
    )
  })
})
