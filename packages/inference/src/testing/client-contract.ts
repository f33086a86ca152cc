import assert from 'node:assert/strict'
import { deepFreeze, type StreamEvent, textOf, userMessage } from '@looprig/core'
import type { InferenceClient, InferenceStream } from '../client/client.ts'
import type { InferenceRequest } from '../client/request.ts'
import { InferenceError } from '../failure/errors.ts'
import type { TestRegistrar } from './test-registrar.ts'

/** What one test of the suite runs against. */
export interface ClientContractWorld {
  /** Answers every request with the same response, which has text. */
  readonly client: InferenceClient
  /** What is asked. Default: a message of one word, of a model without capabilities. */
  readonly request?: InferenceRequest | undefined
  /** How many requests came to the other side, where that can be told. */
  readonly sent?: (() => number) | undefined
  /** Takes the world down. */
  readonly close?: (() => void | Promise<void>) | undefined
}

/** The client that is put to the test. */
export interface ClientContractSubject {
  /** How the suite is titled. */
  readonly name: string
  /** Makes the world of one test; called anew for each. */
  readonly open: () => ClientContractWorld | Promise<ClientContractWorld>
}

/** A world, and how its request is asked. */
interface Case {
  readonly client: InferenceClient
  readonly request: InferenceRequest
  /** Asserts how many requests were sent, where that can be told. */
  readonly expectSent: (count: number) => void
}

/**
 * Proves that a client keeps the contract: lazy streams that are read once, one outcome however it is asked for, a
 * `finish` at the end, an abort at any time. Registers its tests with the given runner; imports none itself.
 */
export function runClientContract({ describe, it }: TestRegistrar, { name, open }: ClientContractSubject): void {
  describe(`${name} (client contract)`, () => {
    for (const [rule, check] of Object.entries(rules)) it(rule, () => runRule(open, check))
  })
}

async function runRule(open: ClientContractSubject['open'], check: (tested: Case) => Promise<void>): Promise<void> {
  const { client, request = plain, sent, close } = await open()
  const expectSent = (count: number) => {
    if (sent !== undefined) assert.equal(sent(), count, 'requests that were sent')
  }
  try {
    await check({ client, request: deepFreeze(request), expectSent })
  } finally {
    await close?.()
  }
}

const plain: InferenceRequest = { model: { provider: 'contract', name: 'any' }, messages: [userMessage('Hi')] }

const rules: Readonly<Record<string, (tested: Case) => Promise<void>>> = {
  'sends nothing before a stream is read': async ({ client, request, expectSent }) => {
    const stream = client.stream(request)
    await new Promise((resolve) => setImmediate(resolve))
    expectSent(0)

    await stream.result()
    expectSent(1)
  },
  'streams a response that ends with finish and has text': async ({ client, request }) => {
    const stream = client.stream(request)

    const events = await readAll(stream)

    const finishes = events.filter(({ type }) => type === 'finish')
    assert.equal(finishes.length, 1, 'finish comes once')
    assert.equal(events.at(-1)?.type, 'finish', 'finish is last')
    assert.notEqual(textOf((await stream.result()).message.blocks), '', 'the response must have text')
  },
  'gives the same response streamed, drained and whole': async ({ client, request }) => {
    const read = client.stream(request)
    await readAll(read)
    const { message, finishReason, toolCalls } = await read.result()

    for (const other of [await client.stream(request).result(), await client.invoke(request)]) {
      assert.deepEqual(other.message.blocks, message.blocks)
      assert.deepEqual(other.toolCalls, toolCalls)
      assert.equal(other.finishReason, finishReason)
    }
  },
  'gives its result more than once, also before the reading is over': async ({ client, request, expectSent }) => {
    const stream = client.stream(request)
    const events = stream[Symbol.asyncIterator]()
    await events.next()
    const early = stream.result()
    while ((await events.next()).done !== true);

    assert.deepEqual(await early, await stream.result())
    expectSent(1)
  },
  'lets a stream be read once': async ({ client, request, expectSent }) => {
    const stream = client.stream(request)
    await readAll(stream)

    await assert.rejects(readAll(stream), hasCode('stream_consumed'))
    expectSent(1)
  },
  'stays at its end': async ({ client, request }) => {
    const events = client.stream(request)[Symbol.asyncIterator]()
    while ((await events.next()).done !== true);

    assert.equal((await events.next()).done, true)
  },
  'sends nothing for a signal that is aborted, and fails as aborted': async ({ client, request, expectSent }) => {
    const options = { signal: AbortSignal.abort() }

    await assert.rejects(client.stream(request, options).result(), hasCode('aborted'))
    await assert.rejects(client.invoke(request, options), hasCode('aborted'))
    expectSent(0)
  },
  'fails as aborted when the signal aborts in the middle': async ({ client, request }) => {
    const abort = new AbortController()
    const stream = client.stream(request, { signal: abort.signal })
    const events = stream[Symbol.asyncIterator]()
    await events.next()

    abort.abort()

    const rest = (async () => {
      while ((await events.next()).done !== true);
    })()
    await assert.rejects(rest, hasCode('aborted'))
    await assert.rejects(stream.result(), hasCode('aborted'))
  },
  'has no result when its reader leaves early': async ({ client, request }) => {
    const stream = client.stream(request)

    for await (const _ of stream) break

    await assert.rejects(stream.result(), hasCode('aborted'))
  },
  'serves several requests at once': async ({ client, request, expectSent }) => {
    const [first, second] = await Promise.all([client.stream(request).result(), client.stream(request).result()])

    assert.deepEqual(first.message.blocks, second.message.blocks)
    expectSent(2)
  },
}

async function readAll(stream: InferenceStream): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof InferenceError, `expected an InferenceError, not ${String(error)}`)
    assert.equal(error.code, code)
    return true
  }
}
