import type { StreamEvent } from '@looprig/core'
import {
  createInferenceStream,
  type InferenceClient,
  InferenceError,
  type RetryPolicy,
  withRetry,
} from '@looprig/inference'
import { openAIChatClient } from '@looprig/inference/openai'
import { scriptedClient } from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'
import { events, json, openStream, startProvider, stopFrame, textFrame } from '../support/provider-server.ts'
import { ask, failureOf } from '../support/requests.ts'

/** A policy without time and chance, and the waits that it was asked for. */
function instant(policy: RetryPolicy = {}): { readonly policy: RetryPolicy; readonly waits: number[] } {
  const waits: number[] = []
  const wait = async (ms: number): Promise<void> => {
    waits.push(ms)
  }
  return { policy: { random: () => 0.5, wait, ...policy }, waits }
}

/** A client that fails with each of these errors in turn, then answers. */
function failing(...errors: readonly InferenceError[]): InferenceClient & { readonly attempts: number } {
  let attempts = 0
  const stream: InferenceClient['stream'] = (_request, options) =>
    createInferenceStream(async function* (): AsyncGenerator<StreamEvent, void, undefined> {
      const error = errors[attempts]
      attempts += 1
      if (error !== undefined) throw error
      yield { type: 'finish', reason: 'stop' }
    }, options?.signal)
  return {
    stream,
    invoke: (request, options) => stream(request, options).result(),
    get attempts() {
      return attempts
    },
  }
}

const overloaded = (retryAfterMs?: number): InferenceError => new InferenceError('overloaded', 'busy', { retryAfterMs })

describe('withRetry', () => {
  it('sends a request again after waits that double up to the cap', async () => {
    const { policy, waits } = instant({ maxAttempts: 6, baseDelayMs: 100, maxDelayMs: 500 })
    const client = failing(...Array.from({ length: 5 }, () => overloaded()))

    const { finishReason } = await withRetry(client, policy).invoke(ask())

    expect(finishReason).toBe('stop')
    expect(waits).toEqual([100, 200, 400, 500, 500])
  })

  it.each([
    [0, 900],
    [0.5, 1000],
    [0.999_999, 1100],
  ])('spreads a wait by a tenth either way: chance %d gives %d ms', async (chance, expected) => {
    const { policy, waits } = instant({ random: () => chance })

    await withRetry(failing(overloaded()), policy).invoke(ask())

    expect(waits).toEqual([expected])
  })

  it('tells of each wait in the stream before it begins', async () => {
    const log: string[] = []
    const { policy } = instant({
      wait: async (ms) => {
        log.push(`wait ${ms}`)
      },
    })
    const client = failing(overloaded(), new InferenceError('network', 'gone'))

    for await (const event of withRetry(client, policy).stream(ask())) log.push(JSON.stringify(event))

    expect(log).toEqual([
      '{"type":"retrying","attempt":1,"delayMs":1000,"code":"overloaded"}',
      'wait 1000',
      '{"type":"retrying","attempt":2,"delayMs":2000,"code":"network"}',
      'wait 2000',
      '{"type":"finish","reason":"stop"}',
    ])
  })

  it.each(['stream', 'invoke'] as const)('says in the response of %s how often it was asked for', async (method) => {
    const ask3 = withRetry(failing(overloaded(), overloaded()), instant().policy)
    const ask1 = withRetry(failing(), instant().policy)
    const respond = (client: InferenceClient) =>
      method === 'invoke' ? client.invoke(ask()) : client.stream(ask()).result()

    expect((await respond(ask3)).attempts).toBe(3)
    expect((await respond(ask1)).attempts).toBe(1)
    expect((await respond(withRetry(ask3, instant().policy))).attempts).toBe(1)
  })

  it('asks again for a response that ends before its first event', async () => {
    let attempts = 0
    const client: InferenceClient = {
      stream: (_request, options) =>
        createInferenceStream(async function* () {
          attempts += 1
          if (attempts > 1) yield { type: 'finish', reason: 'stop' } as const
        }, options?.signal),
      invoke: (request, options) => client.stream(request, options).result(),
    }

    const response = await withRetry(client, instant().policy).stream(ask()).result()

    expect(response.attempts).toBe(2)
  })

  it('throws an error with the code and the facts of the last one when the attempts are used up', async () => {
    const last = new InferenceError('overloaded', 'busy', { status: 529, retryAfterMs: 5, provider: { type: 'o' } })
    const client = failing(overloaded(), overloaded(), last, overloaded())

    const error = await failureOf(
      withRetry(client, instant({ maxAttempts: 3 }).policy)
        .stream(ask())
        .result(),
    )

    expect(error).toMatchObject({ code: 'overloaded', status: 529, retryAfterMs: 5, provider: { type: 'o' } })
    expect(error).toMatchObject({ message: 'busy (given up after 3 attempts)', attempts: 3, cause: last })
    expect(client.attempts).toBe(3)
  })

  it('throws the error itself when one attempt is all there is', async () => {
    const only = overloaded()

    expect(await failureOf(withRetry(failing(only), instant({ maxAttempts: 1 }).policy).invoke(ask()))).toBe(only)
  })

  it('does not send again what a retry inside of it gave up', async () => {
    const client = failing(...Array.from({ length: 9 }, () => overloaded()))
    const inner = withRetry(client, instant({ maxAttempts: 2 }).policy)

    const error = await failureOf(withRetry(inner, instant({ maxAttempts: 4 }).policy).invoke(ask()))

    expect(error.attempts).toBe(2)
    expect(client.attempts).toBe(2)
  })

  it('does not send again what cannot succeed', async () => {
    const client = failing(new InferenceError('auth', 'bad key'))

    const error = await failureOf(withRetry(client, instant().policy).invoke(ask()))

    expect(error.code).toBe('auth')
    expect(client.attempts).toBe(1)
  })

  it('does not send again once anything was said', async () => {
    const client = scriptedClient([{ text: 'Half', error: { code: 'overloaded', afterText: true } }, { text: 'Whole' }])

    const error = await failureOf(withRetry(client, instant().policy).stream(ask()).result())

    expect(error.code).toBe('overloaded')
    expect(client.remaining).toBe(1)
  })

  it('waits as long as the server asks, and never less than by itself', async () => {
    const { policy, waits } = instant()

    await withRetry(failing(overloaded(7000), overloaded(5)), policy).invoke(ask())

    expect(waits).toEqual([7000, 2000])
  })

  it('fails at once when the server asks for more than the limit, and tells the time', async () => {
    const { policy, waits } = instant({ maxRetryAfterMs: 60_000 })

    const error = await failureOf(withRetry(failing(overloaded(86_400_000)), policy).invoke(ask()))

    expect(error).toMatchObject({ code: 'overloaded', retryAfterMs: 86_400_000 })
    expect(error.message).toContain('86400000 ms')
    expect(waits).toEqual([])
  })

  it.each(['stream', 'invoke'] as const)('ends the wait of %s when the signal aborts', async (method) => {
    const abort = new AbortController()
    const client = failing(overloaded())
    const retrying = withRetry(client, { baseDelayMs: 600_000, maxDelayMs: 600_000 })
    const options = { signal: abort.signal }
    const failure = failureOf(
      method === 'invoke' ? retrying.invoke(ask(), options) : retrying.stream(ask(), options).result(),
    )

    setImmediate(() => abort.abort())

    expect(await failure).toMatchObject({ code: 'aborted', retryable: false })
    expect(client.attempts).toBe(1)
  })

  it('sends nothing for an invoke whose signal is aborted', async () => {
    const client = failing(overloaded())

    const error = await failureOf(withRetry(client).invoke(ask(), { signal: AbortSignal.abort() }))

    expect(error.code).toBe('aborted')
    expect(client.attempts).toBe(0)
  })

  it.each([
    [{ maxAttempts: 0 }, 'maxAttempts'],
    [{ baseDelayMs: 1.5 }, 'baseDelayMs'],
    [{ baseDelayMs: 100, maxDelayMs: 99 }, 'maxDelayMs'],
    [{ maxDelayMs: 2 ** 31 }, 'maxDelayMs'],
    [{ maxRetryAfterMs: -1 }, 'maxRetryAfterMs'],
  ])('refuses the policy %o', (policy, field) => {
    const act = () => withRetry(failing(), policy)

    expect(act).toThrow(expect.objectContaining({ code: 'invalid_options' }))
    expect(act).toThrow(new RegExp(`^${field}: `))
  })
})

describe('withRetry over a real connection', () => {
  it('waits as a 429 asks, then succeeds', async () => {
    const { policy, waits } = instant()
    const server = await startProvider(json(429, {}, { 'retry-after': '2' }), events(textFrame('ok'), stopFrame))

    const stream = withRetry(openAIChatClient({ baseUrl: server.baseUrl }), policy).stream(ask())
    const { finishReason } = await stream.result()
    await server.close()

    expect(finishReason).toBe('stop')
    expect(waits).toEqual([2000])
    expect(server.requests).toHaveLength(2)
    expect(server.requests[1]?.body).toBe(server.requests[0]?.body)
  })

  it('retries an overload that comes as the first frame of a 200', async () => {
    const overload = JSON.stringify({ error: { type: 'overloaded_error', message: 'busy' } })
    const server = await startProvider(events(overload), events(textFrame('ok'), stopFrame))

    await withRetry(openAIChatClient({ baseUrl: server.baseUrl }), instant().policy)
      .stream(ask())
      .result()
    await server.close()

    expect(server.requests).toHaveLength(2)
  })

  it('does not send again when the connection breaks after text', async () => {
    const server = await startProvider((response) => {
      openStream(response, textFrame('Half'))
      response.socket?.end()
    })
    const stream = withRetry(openAIChatClient({ baseUrl: server.baseUrl }), instant().policy).stream(ask())
    const seen: string[] = []

    const error = await failureOf(
      (async () => {
        for await (const event of stream) seen.push(event.type)
      })(),
    )
    await server.close()

    expect(error).toMatchObject({ code: 'network', retryable: true })
    expect(seen).toEqual(['block_start', 'text_delta'])
    expect(server.requests).toHaveLength(1)
  })
})
