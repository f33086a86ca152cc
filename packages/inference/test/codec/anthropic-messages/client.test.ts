import { inspect } from 'node:util'
import { textOf } from '@looprig/core'
import { withRetry } from '@looprig/inference'
import { anthropicClient } from '@looprig/inference/anthropic'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type Answer,
  events,
  json,
  openStream,
  type ProviderServer,
  startProvider,
} from '../../support/provider-server.ts'
import { ask, failureOf } from '../../support/requests.ts'
import { fixture } from './decoded.ts'

const apiKey = 'sk-ant-sentinel-0123456789abcdef'
let server: ProviderServer

afterEach(() => server.close())

const start = async (...answers: [Answer, ...Answer[]]): Promise<void> => {
  server = await startProvider(...answers)
}

const client = (options: Partial<Parameters<typeof anthropicClient>[0]> = {}) =>
  anthropicClient({ baseUrl: server.baseUrl, apiKey, ...options })

const streamed: Answer = (response) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(fixture('text.sse'))
const overloaded = { type: 'error', error: { type: 'overloaded_error', message: `Overloaded, ${apiKey}` } }

describe('anthropicClient', () => {
  it('gets the same response whole and streamed', async () => {
    await start(json(200, JSON.parse(fixture('text.json').toString())), streamed)

    const whole = await client().invoke(ask())
    const stream = client().stream(ask())
    const types = []
    for await (const event of stream) types.push(event.type)

    expect(types).toEqual(['block_start', 'text_delta', 'text_delta', 'block_end', 'finish'])
    expect(await stream.result()).toEqual(whole)
    expect(textOf(whole.message.blocks)).toBe('Grüße 👋🏽, 東京 и Киев')
  })

  it('sends key, version and betas to /messages below the base', async () => {
    await start(streamed)

    await client({ betas: ['one-2025-01-01', 'two-2025-02-02'] })
      .stream(ask())
      .result()

    const [request] = server.requests
    expect(request?.path).toBe('/v1/messages')
    expect(request?.headers).toMatchObject({
      'x-api-key': apiKey,
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'one-2025-01-01,two-2025-02-02',
      'content-type': 'application/json',
    })
    expect(request?.headers).not.toHaveProperty('authorization')
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ model: 'lark-2', stream: true })
  })

  it('sends the key as a bearer token on request', async () => {
    await start(streamed)

    await client({ keyHeader: 'bearer' }).stream(ask()).result()

    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`)
    expect(server.requests[0]?.headers).not.toHaveProperty('x-api-key')
  })

  it('reports a failure with what the server asks to wait, and never shows the key', async () => {
    await start(json(529, overloaded, { 'retry-after': '7' }))

    const error = await failureOf(client().stream(ask()).result())

    expect(error).toMatchObject({ code: 'overloaded', status: 529, retryable: true, retryAfterMs: 7000 })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(apiKey)
  })

  it('is retried when a 200 stream begins with an error, and not when text came before it', async () => {
    const text =
      fixture('text.sse')
        .toString()
        .match(/^data: .*$/gm)
        ?.map((line) => line.slice(6)) ?? []
    const failed = events(JSON.stringify(overloaded))
    const broken = events(...text.slice(0, 4), JSON.stringify(overloaded))
    await start(failed, streamed, broken, streamed)
    const retrying = withRetry(client(), { wait: () => Promise.resolve() })

    const { message } = await retrying.stream(ask()).result()
    const error = await failureOf(retrying.stream(ask()).result())

    expect(textOf(message.blocks)).toBe('Grüße 👋🏽, 東京 и Киев')
    expect(error.code).toBe('overloaded')
    expect(server.requests).toHaveLength(3)
  })

  it('counts a connection that breaks before message_stop as truncated', async () => {
    await start((response) => {
      openStream(
        response,
        ...(fixture('text.sse')
          .toString()
          .match(/^data: .*$/gm)
          ?.slice(0, 7)
          .map((line) => line.slice(6)) ?? []),
      )
      response.end()
    })

    expect(await failureOf(client().stream(ask()).result())).toMatchObject({ code: 'truncated', retryable: true })
  })

  it.each([
    [{ betas: ['a b'] }, 'betas'],
    [{ apiKey: 'a b' }, 'apiKey'],
    [{ baseUrl: 'http://example.org' }, 'baseUrl'],
  ])('refuses %o by its name', async (options, field) => {
    await start(streamed)

    expect(() => client(options)).toThrow(new RegExp(`^${field}: `))
  })
})
