import type { StreamEvent } from '@looprig/core'
import { createInferenceStream, type EventSource } from '@looprig/inference'
import { describe, expect, it } from 'vitest'
import { failureOf } from '../support/requests.ts'

const hello: StreamEvent[] = [
  { type: 'block_start', blockIndex: 0, block: { type: 'text' } },
  { type: 'text_delta', blockIndex: 0, text: 'Hello' },
  { type: 'block_end', blockIndex: 0 },
]
const finish: StreamEvent = { type: 'finish', reason: 'stop', rawReason: 'end' }

const source = (...events: StreamEvent[]): EventSource =>
  async function* () {
    yield* events
  }

describe('createInferenceStream', () => {
  it('gives the events as they are and the whole response at the end', async () => {
    const stream = createInferenceStream(source(...hello, finish))
    const seen: StreamEvent[] = []

    for await (const event of stream) seen.push(event)

    expect(seen).toEqual([...hello, finish])
    expect(await stream.result()).toEqual({
      message: { role: 'assistant', blocks: [{ type: 'text', text: 'Hello' }] },
      toolCalls: [],
      finishReason: 'stop',
      rawFinishReason: 'end',
      attempts: 1,
    })
  })

  it('does nothing until it is read, and drains itself for a result', async () => {
    let started = 0
    const stream = createInferenceStream(async function* () {
      started += 1
      yield finish
    })

    const before = started
    const [first, second] = await Promise.all([stream.result(), stream.result()])

    expect(before).toBe(0)
    expect(started).toBe(1)
    expect(first).toBe(second)
  })

  it('is read once', async () => {
    const stream = createInferenceStream(source(finish))
    await stream.result()

    const act = () => stream[Symbol.asyncIterator]()

    expect(act).toThrow(expect.objectContaining({ code: 'stream_consumed' }))
  })

  it('counts a source that ends without finish as truncated, after its events', async () => {
    const stream = createInferenceStream(source(...hello))
    const seen: string[] = []

    const error = await failureOf(
      (async () => {
        for await (const event of stream) seen.push(event.type)
      })(),
    )

    expect(error).toMatchObject({ code: 'truncated', retryable: true })
    expect(seen).toHaveLength(3)
    expect(await failureOf(stream.result())).toBe(error)
  })

  it('aborts its source when the reader leaves early', async () => {
    let signal: AbortSignal | undefined
    let ended = false
    const stream = createInferenceStream(async function* (aborted) {
      signal = aborted
      try {
        yield* hello
      } finally {
        ended = true
      }
    })

    for await (const _ of stream) break

    expect(signal?.aborted).toBe(true)
    expect(ended).toBe(true)
    expect(await failureOf(stream.result())).toMatchObject({ code: 'aborted' })
  })

  it('gives its source the signal of the caller, and ends the source by itself when the reader leaves early', async () => {
    const caller = new AbortController()
    let signal: AbortSignal | undefined
    let ended = false
    const stream = createInferenceStream(async function* (aborted) {
      signal = aborted
      try {
        yield* hello
      } finally {
        ended = true
      }
    }, caller.signal)

    for await (const _ of stream) break

    expect(signal).toBe(caller.signal)
    expect(ended).toBe(true)
    expect(await failureOf(stream.result())).toMatchObject({ code: 'aborted' })
  })

  it('tells of a failure once, and is over then', async () => {
    const events = createInferenceStream(source(...hello))[Symbol.asyncIterator]()
    for (const _ of hello) await events.next()

    expect(await failureOf(events.next())).toMatchObject({ code: 'truncated' })
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  it('fails as its source does that cannot even begin', async () => {
    const stream = createInferenceStream(() => {
      throw new TypeError('no source')
    })

    await expect(stream.result()).rejects.toThrow(TypeError)
  })

  it('fails as aborted when the signal of the caller ends the source, whatever the source throws', async () => {
    const abort = new AbortController()
    const stream = createInferenceStream(async function* (signal) {
      yield* hello
      abort.abort()
      signal.throwIfAborted()
    }, abort.signal)

    expect(await failureOf(stream.result())).toMatchObject({ code: 'aborted', retryable: false })
  })

  it('does not start its source for a signal that is aborted', async () => {
    let started = false
    const stream = createInferenceStream(async function* () {
      started = true
      yield finish
    }, AbortSignal.abort())

    expect(await failureOf(stream.result())).toMatchObject({ code: 'aborted' })
    expect(started).toBe(false)
  })

  it('reports events in an impossible order as malformed', async () => {
    const stream = createInferenceStream(source({ type: 'text_delta', blockIndex: 4, text: 'x' }, finish))

    expect(await failureOf(stream.result())).toMatchObject({ code: 'malformed' })
  })

  it('reports a response without measure as too large', async () => {
    const stream = createInferenceStream(async function* () {
      yield { type: 'block_start', blockIndex: 0, block: { type: 'text' } }
      for (;;) yield { type: 'text_delta', blockIndex: 0, text: 'x'.repeat(1_000_000) }
    })

    expect(await failureOf(stream.result())).toMatchObject({ code: 'response_too_large' })
  })
})

describe('events that come together', () => {
  const together = (...lists: StreamEvent[][]): EventSource =>
    async function* () {
      yield* lists
    }

  it('are given one by one, as if they had come so, and empty lists are passed over', async () => {
    const stream = createInferenceStream(together([], hello, [], [finish], []))
    const seen: StreamEvent[] = []

    for await (const event of stream) seen.push(event)

    expect(seen).toEqual([...hello, finish])
    expect((await stream.result()).message.blocks).toEqual([{ type: 'text', text: 'Hello' }])
  })

  it('keep their order for a reader who asks for several at once', async () => {
    const stream = createInferenceStream(together(hello, [finish]))
    const iterator = stream[Symbol.asyncIterator]()

    const items = await Promise.all(Array.from({ length: 6 }, () => iterator.next()))

    expect(items.map(({ value }) => value)).toEqual([...hello, finish, undefined, undefined])
  })

  it('reach the reader before the fault that follows them', async () => {
    const stream = createInferenceStream(async function* () {
      yield hello
      throw new Error('the source broke')
    })
    const seen: string[] = []

    const act = async () => {
      for await (const event of stream) seen.push(event.type)
    }

    await expect(act()).rejects.toThrow('the source broke')
    expect(seen).toEqual(['block_start', 'text_delta', 'block_end'])
  })

  it('stop at the one that is not valid', async () => {
    const stream = createInferenceStream(together([...hello, { type: 'text_delta', blockIndex: 7, text: 'x' }, finish]))
    const seen: string[] = []

    const error = await failureOf(
      (async () => {
        for await (const event of stream) seen.push(event.type)
      })(),
    )

    expect(error.code).toBe('malformed')
    expect(seen).toHaveLength(3)
  })

  it('are not given any more after an abort', async () => {
    const controller = new AbortController()
    const stream = createInferenceStream(together([...hello, finish]), controller.signal)
    const seen: string[] = []

    const error = await failureOf(
      (async () => {
        for await (const event of stream) {
          seen.push(event.type)
          controller.abort()
        }
      })(),
    )

    expect(error.code).toBe('aborted')
    expect(seen).toEqual(['block_start'])
  })
})
