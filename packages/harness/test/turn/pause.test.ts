import type { FinishReason, StreamEvent } from '@looprig/core'
import type { InferenceRequest } from '@looprig/inference'
import { describe, expect, it } from 'vitest'
import type { LoopOptions } from '../../src/index.ts'
import { strictClient } from '../../src/testing.ts'
import {
  answersOf,
  callEvents,
  effectTool,
  model,
  openSession,
  resultTexts,
  streamingClient,
  textEvents,
  whenAborted,
} from '../session/open-session.ts'

type Part = { readonly text?: string; readonly call?: string; readonly reason: FinishReason; readonly hangs?: true }

/** A provider that answers in parts; an opaque block of its own tools stands before each text. */
async function* part(said: Part | undefined, signal: AbortSignal): AsyncGenerator<StreamEvent, void, undefined> {
  if (said === undefined) throw new TypeError('nothing is left to say')
  yield { type: 'block_start', blockIndex: 0, block: { type: 'thinking' } }
  yield { type: 'block_state', blockIndex: 0, state: { format: 'opaque', data: { text: said.text ?? '' } } }
  yield { type: 'block_end', blockIndex: 0 }
  if (said.text !== undefined) yield* textEvents(said.text, 1)
  if (said.call !== undefined) yield* callEvents('c1', said.call, '{}', 2)
  if (said.hangs) await whenAborted(signal)
  yield { type: 'finish', reason: said.reason, usage: { inputTokens: 10, outputTokens: 5 } }
}

async function openParts(parts: readonly Part[], loop: Partial<LoopOptions> = {}) {
  const requests: InferenceRequest[] = []
  const client = streamingClient((n, signal, request) => {
    requests.push(request)
    return part(parts[n - 1], signal)
  })
  const opened = await openSession({
    client,
    tools: [effectTool('act', () => undefined)],
    loop: { client: strictClient(client, { takesPausedAnswer: true }), ...loop },
  })
  return { ...opened, requests }
}

describe('an answer that its provider pauses', () => {
  it('goes on with the answer so far sent back as it is, and becomes one answer', async () => {
    const { session, requests, types, recording } = await openParts([
      { text: 'I search.', reason: 'pause' },
      { reason: 'pause' },
      { text: ' Found.', reason: 'stop' },
    ])

    const result = await session.submit('go').result()

    expect(result).toMatchObject({
      status: 'done',
      text: 'I search. Found.',
      usage: { inputTokens: 30, outputTokens: 15 },
    })
    const opaque = (text: string) => ({ type: 'thinking', state: { format: 'opaque', data: { text } } })
    expect(requests.map(({ messages }) => messages.length)).toEqual([1, 2, 2])
    expect(requests[1]?.messages.at(-1)).toMatchObject({
      role: 'assistant',
      blocks: [opaque('I search.'), { type: 'text', text: 'I search.' }],
    })
    expect(requests[2]?.messages.at(-1)?.blocks).toHaveLength(3)
    expect(answersOf(session.history())).toMatchObject([
      {
        blocks: [
          opaque('I search.'),
          { type: 'text', text: 'I search.' },
          opaque(''),
          opaque(' Found.'),
          { type: 'text', text: ' Found.' },
        ],
      },
    ])
    expect((await types()).filter((type) => type === 'StepDone')).toHaveLength(1)
    const deltas = recording.events('TokenDelta')
    expect(deltas.map(({ text, blockIndex }) => [text, blockIndex])).toEqual([
      ['I search.', 1],
      [' Found.', 4],
    ])
  })

  it('keeps the runtime context before the answer so far', async () => {
    const parts: readonly Part[] = [
      { text: 'a', reason: 'pause' },
      { text: 'b', reason: 'stop' },
    ]
    const { session, requests } = await openParts(parts, { runtimeContext: () => 'it is noon' })

    await session.submit('go').result()

    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(requests[1]?.messages[0]).toEqual(requests[0]?.messages[0])
  })

  it('runs the calls that come after a pause', async () => {
    const { session, requests } = await openParts([
      { text: 'first', reason: 'pause' },
      { call: 'act', reason: 'tool_use' },
      { text: 'done', reason: 'stop' },
    ])

    expect(await session.submit('go').result()).toMatchObject({ status: 'done', text: 'done' })
    expect(resultTexts(session.history())).toEqual(['act did x'])
    expect(requests[2]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })

  it('lets what waits join only when the answer is whole', async () => {
    const { session, requests } = await openParts([
      { text: 'a', reason: 'pause' },
      { text: 'b', reason: 'stop' },
      { text: 'c', reason: 'stop' },
    ])
    const first = session.submit('one')
    const second = session.submit('two')

    expect((await first.result()).text).toBe('ab')
    expect((await second.result()).text).toBe('c')
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  it('is bounded by the rounds of a turn: what was said stays, and the turn fails', async () => {
    const { session, requests } = await openParts(
      Array.from({ length: 9 }, () => ({ text: 'x', reason: 'pause' }) as const),
      { limits: { iterations: 3 } },
    )

    const result = await session.submit('go').result()

    expect(result).toMatchObject({ status: 'failed', error: { code: 'tool_limit' } })
    expect(requests).toHaveLength(3)
    expect(result.text).toMatch(/^xxx\n\n\[The answer was cut off/)
  })

  it('keeps to the budget of the turn between its parts', async () => {
    const { session, requests } = await openParts(
      [
        { text: 'x', reason: 'pause' },
        { text: 'y', reason: 'pause' },
        { text: 'z', reason: 'stop' },
      ],
      { limits: { tokens: 30 } },
    )

    expect(await session.submit('go').result()).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' } })
    expect(requests).toHaveLength(2)
  })

  it('keeps what was said of it when the turn is interrupted in a later part', async () => {
    const { session, recording } = await openParts([
      { text: 'first', reason: 'pause' },
      { text: 'second', reason: 'stop', hangs: true },
    ])
    const turn = session.submit('go')
    await recording.waitFor('TokenDelta', 2)
    await session.interrupt()

    const result = await turn.result()
    expect(result.status).toBe('interrupted')
    expect(result.text).toMatch(/^firstsecond\n\n\[The answer was interrupted/)
  })

  it('that says nothing at all is no answer', async () => {
    const client = streamingClient(async function* () {
      yield { type: 'finish', reason: 'pause', usage: {} }
    })
    const { session, requests } = await openSession({ client, loop: { model } })

    expect(await session.submit('go').result()).toMatchObject({ status: 'failed', error: { code: 'empty_response' } })
    expect(requests).toHaveLength(1)
  })
})
