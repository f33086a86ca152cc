import { InferenceError, withRetry } from '@looprig/inference'
import { openAIChatClient } from '@looprig/inference/openai'
import { afterEach, describe, expect, it } from 'vitest'
import { events, json, type ProviderServer, startProvider, stopFrame, textFrame } from '../support/provider-server.ts'
import { ask, failureOf } from '../support/requests.ts'

let server: ProviderServer
afterEach(() => server.close())

/** A client whose waits take no time and are noted. */
function retrying(maxAttempts = 3) {
  const waits: number[] = []
  const wait = async (ms: number): Promise<void> => {
    waits.push(ms)
  }
  const client = openAIChatClient({ baseUrl: server.baseUrl, apiKey: 'sk-canary-012345' })
  return { client: withRetry(client, { maxAttempts, random: () => 0.5, wait }), waits }
}

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString()

describe('a retry over a real connection', () => {
  it.each([429, 529])('waits as a %d asks in any form', async (status) => {
    const answer = (header: string, value: string) => json(status, {}, { [header]: value })
    server = await startProvider(
      answer('retry-after', '2'),
      answer('retry-after-ms', '4500'),
      answer('retry-after', inSeconds(30)),
      events(textFrame('ok'), stopFrame),
    )
    const { client, waits } = retrying(4)

    await client.stream(ask()).result()

    expect(waits.slice(0, 2)).toEqual([2000, 4500])
    expect(waits[2]).toBeGreaterThan(25_000)
    expect(waits[2]).toBeLessThanOrEqual(30_000)
  })

  it.each(['-1', 'abc', '0', '', 'Wed, 99 Foo 2025 00:00:00 GMT', inSeconds(-3600)])(
    'falls back to its own wait for retry-after %j',
    async (value) => {
      server = await startProvider(json(429, {}, { 'retry-after': value }), events(textFrame('ok'), stopFrame))
      const { client, waits } = retrying()

      await client.stream(ask()).result()

      expect(waits).toEqual([1000])
    },
  )

  it.each(['86400', '9'.repeat(40), inSeconds(86_400)])('fails at once for retry-after %j', async (value) => {
    server = await startProvider(json(429, {}, { 'retry-after': value }))
    const { client, waits } = retrying()

    const error = await failureOf(client.stream(ask()).result())

    expect(error.code).toBe('rate_limited')
    expect(error.message).toContain(`asked to wait ${error.retryAfterMs} ms`)
    expect(waits).toEqual([])
  })

  it.each([
    [408, {}, 'timeout', 3],
    [409, {}, 'invalid_request', 3],
    [429, {}, 'rate_limited', 3],
    [500, {}, 'server_error', 3],
    [503, {}, 'overloaded', 3],
    [529, {}, 'overloaded', 3],
    [429, { error: { code: 'insufficient_quota' } }, 'quota', 1],
    [400, { error: { code: 'content_policy_violation' } }, 'refused', 1],
    [400, { error: { code: 'context_length_exceeded' } }, 'context_overflow', 1],
    [400, {}, 'invalid_request', 1],
    [401, {}, 'auth', 1],
    [404, {}, 'not_found', 1],
    [307, {}, 'invalid_request', 1],
  ] as const)('sends a request with status %d and %j, which is %s, %d times', async (status, body, code, sent) => {
    server = await startProvider(json(status, body, { location: '/elsewhere' }))
    const { client } = retrying()

    const error = await failureOf(client.stream(ask()).result())

    expect(error).toMatchObject({ code, status, ...(sent === 1 ? {} : { attempts: sent }) })
    expect(server.requests).toHaveLength(sent)
    expect(new Set(server.requests.map(({ path }) => path)).size).toBe(1)
  })

  it('serves the same request after it was given up', async () => {
    const busy = json(529, { error: { type: 'overloaded_error', message: 'busy' } })
    server = await startProvider(busy, busy, events(textFrame('ok'), stopFrame))
    const { client } = retrying(2)

    const error = await failureOf(client.stream(ask()).result())
    const { finishReason } = await client.stream(ask()).result()

    expect(error.cause).toBeInstanceOf(InferenceError)
    expect(finishReason).toBe('stop')
  })

  it('ends a wait at once when the signal aborts', async () => {
    server = await startProvider(json(429, {}, { 'retry-after': '50' }))
    const abort = new AbortController()
    const client = withRetry(openAIChatClient({ baseUrl: server.baseUrl }))

    const error = await failureOf(
      (async () => {
        const stream = client.stream(ask(), { signal: abort.signal })
        for await (const event of stream) if (event.type === 'retrying') abort.abort()
      })(),
    )

    expect(error).toMatchObject({ code: 'aborted', retryable: false })
    expect(server.requests).toHaveLength(1)
  })
})
