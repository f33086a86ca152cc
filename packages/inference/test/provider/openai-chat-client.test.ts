import { inspect } from 'node:util'
import { textOf } from '@looprig/core'
import { openAIChatClient } from '@looprig/inference/openai'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type Answer,
  events,
  json,
  openStream,
  type ProviderServer,
  startProvider,
  stopFrame,
  textFrame,
  wholeText,
} from '../support/provider-server.ts'
import { ask, failureOf } from '../support/requests.ts'

const apiKey = 'sk-sentinel-0123456789abcdef'
let server: ProviderServer

afterEach(() => server.close())

async function start(...answers: [Answer, ...Answer[]]): Promise<void> {
  server = await startProvider(...answers)
}

function client(options: Partial<Parameters<typeof openAIChatClient>[0]> = {}) {
  return openAIChatClient({ baseUrl: server.baseUrl, apiKey, ...options })
}

describe('openAIChatClient', () => {
  it('streams a response and folds it', async () => {
    await start(events(textFrame('Hel'), textFrame('lo'), stopFrame, '[DONE]'))
    const stream = client().stream(ask())
    const types: string[] = []

    for await (const event of stream) types.push(event.type)
    const { message, finishReason } = await stream.result()

    expect(types).toEqual(['block_start', 'text_delta', 'text_delta', 'block_end', 'finish'])
    expect(textOf(message.blocks)).toBe('Hello')
    expect(finishReason).toBe('stop')
  })

  it('asks for a whole response with invoke, and gets the same message as by stream', async () => {
    await start(json(200, wholeText('Hello')), events(textFrame('Hello'), stopFrame))

    const whole = await client().invoke(ask())
    const streamed = await client().stream(ask()).result()

    expect(whole).toEqual(streamed)
    expect(JSON.parse(server.requests[0]?.body ?? '')).not.toHaveProperty('stream')
    expect(JSON.parse(server.requests[1]?.body ?? '')).toMatchObject({ stream: true })
  })

  it('sends the key as a bearer token to the path below the base, with the headers and query that were given', async () => {
    await start(json(200, wholeText('ok')))
    const baseUrl = `${server.baseUrl}/deployments/d/?api-version=7`

    await client({ baseUrl, headers: { 'X-Title': 'demo' } }).invoke(ask())

    const [request] = server.requests
    expect(request?.path).toBe('/v1/deployments/d/chat/completions?api-version=7')
    expect(request?.headers).toMatchObject({ authorization: `Bearer ${apiKey}`, 'x-title': 'demo' })
    expect(request?.headers['content-type']).toBe('application/json')
  })

  it('sends no authorization without a key', async () => {
    await start(json(200, wholeText('ok')))

    await client({ apiKey: undefined }).invoke(ask())

    expect(server.requests[0]?.headers.authorization).toBeUndefined()
  })

  it('sends nothing before the stream is read, and nothing for a request that the model cannot serve', async () => {
    await start(json(200, wholeText('never')))
    const tools = [{ name: 'now', description: '', inputSchema: {} }]

    client().stream(ask())
    const error = await failureOf(client().invoke(ask('Hi', { tools })))

    expect(error.code).toBe('unsupported')
    expect(server.requests).toHaveLength(0)
  })

  it('takes a whole response from a server that does not stream', async () => {
    await start(json(200, wholeText('All at once')))

    const { message } = await client().stream(ask()).result()

    expect(textOf(message.blocks)).toBe('All at once')
  })

  it('counts a stream that ends without its end marker as truncated', async () => {
    await start(events(textFrame('Half')))

    const error = await failureOf(client().stream(ask()).result())

    expect(error).toMatchObject({ code: 'truncated', retryable: true })
  })

  it('ends with [DONE] even when the server leaves the connection open', async () => {
    await start((response) => openStream(response, textFrame('Done'), '[DONE]'))

    const { message } = await client().stream(ask()).result()

    expect(textOf(message.blocks)).toBe('Done')
  })

  it('ends with [DONE] even when the server goes on to send something', async () => {
    await start((response) => {
      openStream(response, textFrame('Done'), '[DONE]')
      const beat = setInterval(() => response.write(': still here\n\n'), 20)
      response.once('close', () => clearInterval(beat))
    })

    const { message } = await client().stream(ask()).result()

    expect(textOf(message.blocks)).toBe('Done')
    await server.requests[0]?.closed
  })

  it('keeps an answer whose connection broke after the finish reason', async () => {
    await start((response) => {
      openStream(response, textFrame('Whole'), stopFrame)
      response.socket?.end()
    })

    const { message, finishReason } = await client().stream(ask()).result()

    expect(textOf(message.blocks)).toBe('Whole')
    expect(finishReason).toBe('stop')
  })

  it('uses one connection for one response after another', async () => {
    await start(events(textFrame('a'), stopFrame, '[DONE]'))
    const shared = client()

    await shared.stream(ask()).result()
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    await shared.stream(ask()).result()

    expect(server.requests).toHaveLength(2)
    expect(server.connections).toBe(1)
  })

  it.each([
    [400, 'invalid_request', false],
    [401, 'auth', false],
    [402, 'quota', false],
    [403, 'auth', false],
    [404, 'not_found', false],
    [408, 'timeout', true],
    [413, 'context_overflow', false],
    [422, 'invalid_request', false],
    [429, 'rate_limited', true],
    [500, 'server_error', true],
    [502, 'server_error', true],
    [503, 'overloaded', true],
    [529, 'overloaded', true],
  ])('maps status %i to %s', async (status, code, retryable) => {
    await start(json(status, { error: { message: 'no' } }))

    const error = await failureOf(client().stream(ask()).result())

    expect(error).toMatchObject({ code, retryable, status })
  })

  it('tells a used-up quota from a rate limit', async () => {
    await start(json(429, { error: { message: 'pay', type: 'insufficient_quota' } }))

    expect(await failureOf(client().invoke(ask()))).toMatchObject({ code: 'quota', retryable: false, status: 429 })
  })

  it('reports how long the server asks to wait', async () => {
    await start(json(429, {}, { 'retry-after': '7' }))

    expect(await failureOf(client().invoke(ask()))).toMatchObject({ code: 'rate_limited', retryAfterMs: 7000 })
  })

  it('lets the server say itself whether the request may be sent again', async () => {
    await start(json(500, {}, { 'x-should-retry': 'false' }))

    expect(await failureOf(client().invoke(ask()))).toMatchObject({ code: 'server_error', retryable: false })
  })

  it('refuses a redirect and does not follow it', async () => {
    await start((response) => response.writeHead(307, { location: '/elsewhere' }).end())

    const error = await failureOf(client().invoke(ask()))

    expect(error).toMatchObject({ code: 'invalid_request', status: 307 })
    expect(error.message).not.toContain('elsewhere')
    expect(server.requests).toHaveLength(1)
  })

  it('says that a web page is no response', async () => {
    await start((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'))

    expect(await failureOf(client().stream(ask()).result())).toMatchObject({ code: 'malformed', retryable: false })
  })

  it('reads no more of an error body than it needs', async () => {
    await start((response) => {
      response.writeHead(400, { 'content-type': 'text/plain' })
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', write)
      }
      write()
    })

    const error = await failureOf(client().invoke(ask()))

    expect(error.code).toBe('invalid_request')
    expect(error.message.length).toBeLessThan(600)
    await server.requests[0]?.closed
  })
})

describe('openAIChatClient and its secrets', () => {
  const header = 'header-sentinel-42'
  const secrets = [apiKey, header]

  it('shows neither key nor headers when it is printed', async () => {
    await start(json(200, {}))
    const shown = client({ headers: { 'x-key': header } })

    const prints = [
      inspect(shown, { depth: 10, showHidden: true, getters: true }),
      JSON.stringify(shown),
      String(shown),
    ]

    for (const secret of secrets) expect(prints.join()).not.toContain(secret)
  })

  it.each([
    ['an error object', json(401, { error: { message: `bad key ${apiKey}, ${header}`, code: apiKey, type: header } })],
    [
      'an error page',
      (response) => response.writeHead(500).end(`<p>${apiKey}</p> Authorization: Bearer ${apiKey} ${header}`),
    ],
    ['an error frame', events(JSON.stringify({ error: { message: `${apiKey} ${header}` } }))],
    ['a frame that is not JSON', events(`${apiKey} ${header}`)],
    ['a connection that breaks', (response) => response.socket?.destroy()],
  ] satisfies [string, Answer][])('hides them in the error of %s', async (_what, answer) => {
    await start(answer)

    const error = await failureOf(
      client({ headers: { 'x-key': header } })
        .stream(ask())
        .result(),
    )

    const shown = [inspect(error, { depth: 10, showHidden: true }), JSON.stringify(error), error.stack, error.message]
    for (const secret of [...secrets, '127.0.0.1', '/chat/completions']) expect(shown.join()).not.toContain(secret)
  })

  it.each([
    [{ apiKey: `${apiKey}\n` }, 'apiKey'],
    [{ apiKey: '' }, 'apiKey'],
    [{ headers: { 'x-key': `${header}\r\nx-evil: 1` } }, 'headers.x-key'],
    [{ headers: { 'bad name': header } }, 'headers'],
    [{ headers: { 'Content-Length': '3' } }, 'headers.content-length'],
    [{ baseUrl: `https://user:${header}@example.org/v1` }, 'baseUrl'],
    [{ baseUrl: `http://example.org/${header}` }, 'baseUrl'],
    [{ baseUrl: `file:///${header}` }, 'baseUrl'],
    [{ baseUrl: header }, 'baseUrl'],
    [{ proxyUrl: `socks://${header}` }, 'proxyUrl'],
    [{ idleTimeoutMs: 0 }, 'idleTimeoutMs'],
    [{ maxResponseBytes: Number.NaN }, 'maxResponseBytes'],
  ])('refuses %o by its name and never by its value', async (options, field) => {
    await start(json(200, {}))
    const act = () => client(options)

    expect(act).toThrow(expect.objectContaining({ code: 'invalid_options' }))
    expect(act).toThrow(new RegExp(`^${field}: `))
    for (const secret of secrets) expect(act).not.toThrow(new RegExp(secret))
  })

  it('takes http to this machine, and elsewhere only on request', async () => {
    await start(json(200, {}))

    expect(() => client({ baseUrl: 'http://localhost:1/v1' })).not.toThrow()
    expect(() => client({ baseUrl: 'http://[::1]:1/v1' })).not.toThrow()
    expect(() => client({ baseUrl: 'http://10.0.0.7/v1', allowInsecureHttp: true })).not.toThrow()
  })
})
