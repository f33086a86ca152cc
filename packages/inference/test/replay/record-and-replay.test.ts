import { type StreamEvent, textOf } from '@looprig/core'
import { type InferenceClient, withRetry } from '@looprig/inference'
import { openAIChatClient } from '@looprig/inference/openai'
import {
  type RecordedExchange,
  readExchanges,
  recordingClient,
  replayClient,
  requestDigest,
  scriptedClient,
} from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'
import { events, json, startProvider, stopFrame, textFrame } from '../support/provider-server.ts'
import { ask, failureOf } from '../support/requests.ts'

/** Records what these requests come to. */
async function record(client: InferenceClient, ...texts: readonly string[]): Promise<RecordedExchange[]> {
  const recorded: RecordedExchange[] = []
  const recording = recordingClient(client, (exchange) => {
    recorded.push(exchange)
  })
  for (const text of texts) await recording.invoke(ask(text)).catch(() => undefined)
  return recorded
}

async function eventsOf(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const seen: StreamEvent[] = []
  for await (const event of stream) seen.push(event)
  return seen
}

describe('a recording that is replayed', () => {
  it('gives the same events and the same response with no network, also after a journey through text', async () => {
    const server = await startProvider(events(textFrame('Hello '), textFrame('you'), stopFrame))
    const lines: string[] = []
    const recording = recordingClient(openAIChatClient({ baseUrl: server.baseUrl }), (exchange) => {
      lines.push(JSON.stringify(exchange))
    })
    const stream = recording.stream(ask('Hi'))
    const seen = await eventsOf(stream)
    const response = await stream.result()
    await server.close()

    const replay = replayClient([...readExchanges(lines.join('\n')), ...readExchanges(`\n${lines[0]}\n\n`)])

    expect(await eventsOf(replay.stream(ask('Hi')))).toEqual(seen)
    expect(await replay.invoke(ask('Hi'))).toEqual(response)
    expect(replay.remaining).toBe(0)
  })

  it('plays different requests in any order, and equal ones in theirs', async () => {
    const client = scriptedClient([{ text: '1' }, { text: '2' }, { text: '3' }])
    const replay = replayClient(await record(client, 'a', 'b', 'a'))

    const said: string[] = []
    for (const text of ['b', 'a', 'a']) said.push(textOf((await replay.invoke(ask(text))).message.blocks))

    expect(said).toEqual(['2', '1', '3'])
  })

  it('fails as the recorded request did, after the same events', async () => {
    const server = await startProvider(json(429, { error: { message: 'SENTINEL' } }, { 'retry-after': '7' }))
    const recorded = await record(openAIChatClient({ baseUrl: server.baseUrl, apiKey: 'sk-SENTINEL-1' }), 'a')
    await server.close()
    const partial = await record(
      scriptedClient([{ text: 'Half', error: { code: 'overloaded', afterText: true } }]),
      'b',
    )
    const replay = replayClient([...recorded, ...partial])
    const seen: string[] = []

    const first = await failureOf(replay.invoke(ask('a')))
    const second = await failureOf(
      (async () => {
        for await (const event of replay.stream(ask('b'))) seen.push(event.type)
      })(),
    )

    expect(first).toMatchObject({ code: 'rate_limited', status: 429, retryAfterMs: 7000, retryable: true })
    expect(second.code).toBe('overloaded')
    expect(seen).toContain('text_delta')
    expect(JSON.stringify(recorded)).not.toContain('SENTINEL')
  })

  it('refuses a request that is not in it, or not as often', async () => {
    const recorded = await record(scriptedClient([{ text: '1' }]), 'a')
    const replay = replayClient(recorded)

    const unknown = await failureOf(replay.invoke(ask('b')))
    await replay.invoke(ask('a'))
    const again = await failureOf(replay.invoke(ask('a')))

    expect([unknown.code, again.code]).toEqual(['not_recorded', 'not_recorded'])
    expect(unknown).toMatchObject({ retryable: false, message: expect.stringContaining('is not in the recording') })
    expect(again.message).toContain('was recorded fewer times')
  })

  it('gives an unknown request the next exchange when it is not strict', async () => {
    const replay = replayClient(await record(scriptedClient([{ text: '1' }, { text: '2' }]), 'a', 'b'), {
      strict: false,
    })

    const texts = [await replay.invoke(ask('c')), await replay.invoke(ask('b'))].map(({ message }) => message.blocks)

    expect(texts.map(textOf)).toEqual(['1', '2'])
    expect((await failureOf(replay.invoke(ask('d')))).code).toBe('not_recorded')
  })

  it('takes nothing for a request that is aborted', async () => {
    const replay = replayClient(await record(scriptedClient([{ text: '1' }]), 'a'))

    const error = await failureOf(replay.invoke(ask('a'), { signal: AbortSignal.abort() }))

    expect(error.code).toBe('aborted')
    expect(replay.remaining).toBe(1)
  })

  it.each([
    [null, /^recording\[0\]: /],
    [{ format: 'other/1' }, /^recording\[0\]\.format: /],
    [{ format: 'looprig.exchange/1', request: 'x', events: [] }, /^recording\[0\]\.request: /],
    [{ format: 'looprig.exchange/1', request: 'a'.repeat(64), events: [1] }, /^recording\[0\]\.events: /],
    [
      { format: 'looprig.exchange/1', request: 'a'.repeat(64), events: [], failure: { code: 'odd', retryable: true } },
      /^recording\[0\]\.failure: /,
    ],
  ])('is refused when it is none: %j', (value, message) => {
    const recording = [value] as unknown as RecordedExchange[] // from a file

    expect(() => replayClient(recording)).toThrow(message)
    expect(() => readExchanges('\n{"format"')).toThrow(/^line 2: /)
  })
})

describe('recordingClient', () => {
  it('keeps no retries, so that a replay does not wait', async () => {
    const client = scriptedClient([{ error: { code: 'overloaded' } }, { text: 'ok' }])
    const recorded = await record(withRetry(client, { wait: () => Promise.resolve() }), 'a')

    expect(recorded[0]?.events.map(({ type }) => type)).not.toContain('retrying')
    expect(recorded[0]).not.toHaveProperty('failure')
  })

  it('records nothing of a stream that its reader leaves', async () => {
    const recorded: RecordedExchange[] = []
    const recording = recordingClient(scriptedClient([{ text: 'long' }]), (exchange) => {
      recorded.push(exchange)
    })

    for await (const event of recording.stream(ask())) if (event.type === 'text_delta') break

    expect(recorded).toEqual([])
  })

  it('fails the request when the sink does', async () => {
    const recording = recordingClient(scriptedClient([{ text: 'ok' }]), () => {
      throw new Error('disk full')
    })

    await expect(recording.invoke(ask())).rejects.toThrow('disk full')
  })
})

describe('requestDigest', () => {
  it('counts what the model is asked and nothing else', () => {
    const base = requestDigest(ask('a'))

    expect(requestDigest(ask('a', { system: undefined, transientMessages: 0 }))).toBe(base)
    expect(requestDigest(ask('a', { model: { name: 'lark-2', provider: 'test', limits: {} } }))).toBe(base)
    for (const parts of [{ system: 'x' }, { toolChoice: 'none' }, { sampling: { temperature: 0 } }] as const) {
      expect(requestDigest(ask('a', parts))).not.toBe(base)
    }
    expect(requestDigest(ask('\ud83d'))).not.toBe(requestDigest(ask('\ud83e')))
  })
})
