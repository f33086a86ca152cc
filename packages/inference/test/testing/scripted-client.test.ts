import { textOf } from '@looprig/core'
import { scriptedClient } from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'
import { ask, failureOf } from '../support/requests.ts'

describe('scriptedClient', () => {
  it('plays one response per request, in order, and remembers the requests', async () => {
    const client = scriptedClient([{ text: 'one' }, { text: 'two' }])
    const first = ask('a')

    const texts = [await client.invoke(first), await client.stream(ask('b')).result()].map(({ message }) =>
      textOf(message.blocks),
    )

    expect(texts).toEqual(['one', 'two'])
    expect(client.requests).toHaveLength(2)
    expect(client.requests[0]).toBe(first)
    expect(client.remaining).toBe(0)
  })

  it('gives thinking, text and calls in this order, cut into deltas', async () => {
    const client = scriptedClient([
      {
        thinking: 'Hm, yes.',
        text: 'Reading. 👋',
        toolCalls: [{ name: 'ReadFile', input: { path: 'a' } }, { name: 'now' }],
      },
    ])
    const stream = client.stream(ask())
    let deltas = 0

    for await (const event of stream) if (event.type.endsWith('_delta')) deltas += 1
    const { message, finishReason } = await stream.result()

    expect(message.blocks).toEqual([
      { type: 'thinking', text: 'Hm, yes.' },
      { type: 'text', text: 'Reading. 👋' },
      { type: 'tool_use', id: 'call-1', name: 'ReadFile', input: { path: 'a' } },
      { type: 'tool_use', id: 'call-2', name: 'now', input: {} },
    ])
    expect(finishReason).toBe('tool_use')
    expect(deltas).toBeGreaterThan(4)
  })

  it('sends raw arguments as they are', async () => {
    const client = scriptedClient([{ toolCalls: [{ id: 'x', name: 'f', rawInput: '{"half' }] }])

    const { toolCalls } = await client.invoke(ask())

    expect(toolCalls).toEqual([{ toolUseId: 'x', name: 'f', argsJson: '{"half' }])
  })

  it('fails before the response, or after its text', async () => {
    const client = scriptedClient([
      { text: 'never', error: { code: 'auth' } },
      { text: 'seen', error: { code: 'network', afterText: true } },
    ])
    const types: string[] = []

    const first = await failureOf(client.invoke(ask()))
    const second = await failureOf(
      (async () => {
        for await (const event of client.stream(ask())) types.push(event.type)
      })(),
    )

    expect([first.code, second.code]).toEqual(['auth', 'network'])
    expect(types).toContain('text_delta')
    expect(types).not.toContain('finish')
  })

  it('fails a request past its last response', async () => {
    expect(await failureOf(scriptedClient([]).invoke(ask()))).toMatchObject({
      code: 'script_exhausted',
      retryable: false,
    })
  })

  it('takes no response for a request that is aborted already', async () => {
    const client = scriptedClient([{ text: 'kept' }])

    const error = await failureOf(client.invoke(ask(), { signal: AbortSignal.abort() }))

    expect(error.code).toBe('aborted')
    expect(client.remaining).toBe(1)
  })

  it('waits before a response, and stops waiting when it is aborted', async () => {
    const waits: number[] = []
    const wait = async (ms: number): Promise<void> => {
      waits.push(ms)
    }
    const abort = new AbortController()

    await scriptedClient([{ text: 'a', delayMs: 50 }], { wait }).invoke(ask())
    const failure = failureOf(scriptedClient([{ text: 'a', delayMs: 600_000 }]).invoke(ask(), { signal: abort.signal }))
    setImmediate(() => abort.abort())

    expect(waits).toEqual([50])
    expect((await failure).code).toBe('aborted')
  })
})
