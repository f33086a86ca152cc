import { inspect } from 'node:util'
import { textBlock, textOf, userMessage } from '@looprig/core'
import { withRetry } from '@looprig/inference'
import { geminiClient } from '@looprig/inference/gemini'
import { afterEach, describe, expect, it } from 'vitest'
import { assistant, toolResult } from '../../support/encode-chat.ts'
import {
  type Answer,
  events,
  json,
  openStream,
  type ProviderServer,
  startProvider,
} from '../../support/provider-server.ts'
import { ask, failureOf } from '../../support/requests.ts'
import { chunk, fixtureText, third } from './gemini.ts'

const apiKey = 'AIza-sentinel-0123456789abcdef'
let server: ProviderServer

afterEach(() => server.close())

async function start(...answers: [Answer, ...Answer[]]): Promise<void> {
  server = await startProvider(...answers)
}

const client = (options: Partial<Parameters<typeof geminiClient>[0]> = {}) =>
  geminiClient({ baseUrl: server.baseUrl, apiKey, ...options })

const stream =
  (name: string): Answer =>
  (response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(fixtureText(`${name}.sse`).replaceAll('\n', '\r\n'))

const whole = (name: string): Answer => json(200, JSON.parse(fixtureText(`${name}.json`)))

const bodyOf = (at: number): Record<string, unknown> => JSON.parse(server.requests[at]?.body ?? '{}')

const done = chunk([{ text: 'Forty-two.' }], 'STOP')

describe('geminiClient', () => {
  it('runs a tool loop, signatures going back and no id that the provider did not give', async () => {
    await start(stream('parallel-calls'), stream('thoughts-text'))
    const shared = client()
    const messages = [userMessage('Compare a.txt and b.txt')]
    const tools = [{ name: 'ReadFile', description: 'Reads.', inputSchema: { type: 'object' } }]

    const first = await shared.stream({ model: third, messages, tools }).result()
    const results = first.toolCalls.map(({ toolUseId }) => toolResult(toolUseId, textBlock('content')))
    const last = await shared
      .stream({ model: third, messages: [...messages, first.message, ...results], tools })
      .result()

    expect(textOf(last.message.blocks)).toBe('Grüße 👋🏽, 東京.')
    expect(server.requests[0]?.path).toBe('/v1/models/gemini-3-lark:streamGenerateContent?alt=sse')
    expect(server.requests[0]?.headers['x-goog-api-key']).toBe(apiKey)
    expect(server.requests[0]?.headers.authorization).toBeUndefined()
    expect(bodyOf(1).contents).toMatchObject([
      { role: 'user' },
      { role: 'model', parts: [{ text: 'Reading.' }, { thoughtSignature: 'U0lHLUE=' }, {}, {}] },
      { role: 'user', parts: [{ functionResponse: {} }, { functionResponse: {} }, { functionResponse: {} }] },
    ])
    expect(server.requests[1]?.body).not.toContain('call_resp')
  })

  it('gets the same response whole as by stream', async () => {
    await start(whole('parallel-calls'), stream('parallel-calls'))

    expect(await client().invoke(ask())).toEqual(await client().stream(ask()).result())
    expect(server.requests[0]?.path).toBe('/v1/models/lark-2:generateContent')
  })

  it('takes a stream that comes as a list', async () => {
    await start(json(200, [chunk([{ text: 'Forty' }]), chunk([{ text: '-two.' }], 'STOP')]))

    expect(textOf((await client().stream(ask()).result()).message.blocks)).toBe('Forty-two.')
  })

  it('takes a picture of some megabytes in one event', async () => {
    const data = 'A'.repeat(4 * 1024 * 1024)
    await start(events(JSON.stringify(chunk([{ inlineData: { mimeType: 'image/png', data } }], 'STOP'))))

    const { message } = await client().stream(ask()).result()

    expect(message.blocks).toMatchObject([{ type: 'image', mediaType: 'image/png' }])
  })

  it('keeps an answer whose connection broke after the reason', async () => {
    await start((response) => {
      openStream(response, JSON.stringify(done))
      response.socket?.end()
    })

    expect(textOf((await client().stream(ask()).result()).message.blocks)).toBe('Forty-two.')
  })

  it('counts a response that ends before its reason as truncated', async () => {
    await start(events(JSON.stringify(chunk([{ text: 'Half' }]))))

    expect(await failureOf(client().stream(ask()).result())).toMatchObject({ code: 'truncated', retryable: true })
  })

  it('sends an access token to Vertex AI, below a base with a query', async () => {
    await start(json(200, done))

    await client({ keyHeader: 'bearer', baseUrl: `${server.baseUrl}/publishers/google?x=1` })
      .stream(ask())
      .result()

    expect(server.requests[0]?.path).toBe('/v1/publishers/google/models/lark-2:streamGenerateContent?x=1&alt=sse')
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`)
    expect(server.requests[0]?.headers).not.toHaveProperty('x-goog-api-key')
  })

  it('waits as long as the error itself says', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }]
    await start(
      json(429, { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Slow', details } }),
      json(200, done),
    )
    const waits: number[] = []
    const patient = withRetry(client(), { wait: async (ms) => void waits.push(ms), random: () => 0.5 })

    await patient.invoke(ask())

    expect(waits).toEqual([7000])
  })

  it('shows no secret in an error', async () => {
    const header = 'header-sentinel-42'
    await start(json(400, [{ error: { code: 400, message: `key ${apiKey} ${header}`, status: apiKey } }]))

    const error = await failureOf(client({ headers: { 'x-key': header } }).invoke(ask()))

    const shown = [inspect(error, { depth: 10, showHidden: true }), JSON.stringify(error), error.stack].join()
    for (const secret of [apiKey, header, '127.0.0.1']) expect(shown).not.toContain(secret)
  })
})

describe('geminiClient and signatures that the provider does not know again', () => {
  const state = { format: 'gemini', data: { thoughtSignature: 'STALE', id: 'wire-1' } } as const
  const call = { type: 'tool_use', id: 'wire-1', name: 'Now', input: {}, state } as const
  const history = [userMessage('Go'), assistant(call), toolResult('wire-1', textBlock('noon'))]
  const stale = (message: string): Answer => json(400, { error: { code: 400, message, status: 'INVALID_ARGUMENT' } })

  it.each(['Invalid thought signature.', 'Corrupted thought signature.', 'Thought signature is not valid'])(
    'sends the request once more without them: %s',
    async (message) => {
      await start(stale(message), json(200, done))

      await client().invoke({ model: third, messages: history })

      expect(server.requests[0]?.body).toContain('STALE')
      expect(bodyOf(1).contents).toEqual([
        { role: 'user', parts: [{ text: 'Go' }] },
        {
          role: 'model',
          parts: [{ functionCall: { name: 'Now', args: {} }, thoughtSignature: 'skip_thought_signature_validator' }],
        },
        { role: 'user', parts: [{ functionResponse: { name: 'Now', response: { output: 'noon' } } }] },
      ])
    },
  )

  it('does not do so for another fault', async () => {
    await start(stale('Function call is missing a thought_signature in functionCall parts.'))

    await failureOf(client().invoke({ model: third, messages: history }))

    expect(server.requests).toHaveLength(1)
  })
})
