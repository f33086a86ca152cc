import { defineTool, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  answersOf,
  callEvents,
  calling,
  delivered,
  effectTool,
  openSession,
  resultTexts,
  streamingClient,
  textEvents,
} from '../session/open-session.ts'

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  pure: true,
  inputSchema: z.strictObject({ a: z.int(), b: z.int() }),
  run: ({ a, b }) => textResult(String(a + b)),
})

const addOne = (a: number) => calling({ id: `c${a}`, name: 'add', input: { a, b: 1 } })

describe('runTurn', () => {
  it('tells the events of a turn with a call in their order', async () => {
    const { session, types } = await openSession({
      responses: [{ text: 'Hm', ...addOne(1) }, { text: '2' }],
      tools: [add],
    })

    await session.submit('1 + 1?').result()
    const told = await types()

    expect(told.filter((type, index) => type !== told[index - 1])).toEqual([
      'TurnStarted',
      'SessionActive',
      'TokenDelta',
      'ToolInputDelta',
      'ToolCallStarted',
      'ToolCallCompleted',
      'StepDone',
      'TokenDelta',
      'StepDone',
      'TurnDone',
      'LoopIdle',
      'SessionIdle',
    ])
  })

  it('gives the model its calls with their results before it asks again', async () => {
    const { session, requests } = await openSession({ responses: [addOne(1), { text: '2' }], tools: [add] })

    const result = await session.submit('1 + 1?').result()

    expect(result).toMatchObject({ status: 'done', text: '2' })
    expect(requests[1]?.messages.slice(1)).toMatchObject([
      { role: 'assistant', blocks: [{ type: 'tool_use', id: 'c1', name: 'add', input: { a: 1, b: 1 } }] },
      { role: 'tool', toolUseId: 'c1', isError: false, blocks: [{ type: 'text', text: '2' }] },
    ])
  })

  it('shows the model the tools that the loop has', async () => {
    const { session, requests } = await openSession({ responses: [{ text: 'ok' }], tools: [add] })

    await session.submit('Hi').result()

    expect(requests[0]?.tools).toMatchObject([
      { name: 'add', description: 'Adds.', inputSchema: { type: 'object', required: ['a', 'b'] } },
    ])
  })

  it('sums the usage of all steps', async () => {
    const responses = [addOne(1), addOne(2), { text: 'abcd' }]
    const { session, recording } = await openSession({ responses, tools: [add] })

    const result = await session.submit('Go').result()
    const done = await recording.waitFor('TurnDone')

    expect(result.usage).toEqual({ inputTokens: 3, outputTokens: 1 })
    expect(done.usage).toEqual(result.usage)
  })

  it('keeps steps 1 and 2 when the provider fails in step 3, and goes on from there', async () => {
    const responses = [addOne(1), addOne(2), { error: { code: 'overloaded' as const } }, { text: 'back' }]
    const { session, requests } = await openSession({ responses, tools: [add] })

    const failed = await session.submit('Go').result()
    const kept = session.history()
    const next = await session.submit('And now?').result()

    expect(failed).toMatchObject({ status: 'failed', error: { code: 'overloaded' }, usage: { inputTokens: 2 } })
    expect(kept.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool'])
    expect(next.text).toBe('back')
    expect(requests[3]?.messages.slice(0, 5)).toEqual(kept)
  })

  it('ends each turn once', async () => {
    const responses = [addOne(1), { text: '2' }, { error: { code: 'network' as const } }, { text: '4' }]
    const { session, recording } = await openSession({ responses, tools: [add] })

    for (const text of ['a', 'b', 'c']) await session.submit(text).result()
    await delivered()

    const ends = recording.deliveries.flatMap(({ event }) =>
      /^Turn(Done|Failed)$/.test(event.type) ? [event.type] : [],
    )
    expect(ends).toEqual(['TurnDone', 'TurnFailed', 'TurnDone'])
  })
})

describe('limits of a turn', () => {
  it('closes the step past the iterations, keeps the earlier ones and runs nothing of it', async () => {
    const ran: string[] = []
    const touch = effectTool('touch', (value) => void ran.push(value))
    const responses = ['1', '2', '3'].map((value) => calling({ name: 'touch', input: { value } }))
    const { session } = await openSession({ responses, tools: [touch], limits: { iterations: 2 } })

    const result = await session.submit('Go').result()

    expect(result).toMatchObject({ status: 'failed', error: { code: 'tool_limit' } })
    expect(ran).toEqual(['1', '2'])
    expect(resultTexts(session.history())).toEqual([
      'touch did 1',
      'touch did 2',
      'tool_limit: more than 2 rounds of tool calls in one turn; not executed',
    ])
  })

  it('answers after the last iteration', async () => {
    const responses = [addOne(1), addOne(2), { text: 'done' }]
    const { session } = await openSession({ responses, tools: [add], limits: { iterations: 2 } })

    const result = await session.submit('Go').result()

    expect(result).toMatchObject({ status: 'done', text: 'done' })
  })

  it('gives each call past the limit of calls a result', async () => {
    const calls = [1, 2, 3].map((a) => ({ id: `c${a}`, name: 'add', input: { a, b: 0 } }))
    const { session, types } = await openSession({ responses: [calling(...calls)], tools: [add], limits: { calls: 2 } })

    const result = await session.submit('Go').result()

    expect(result).toMatchObject({ status: 'failed', error: { code: 'tool_limit' } })
    expect(resultTexts(session.history())).toEqual(Array(3).fill(expect.stringMatching(/^tool_limit: .*2 tool calls/)))
    expect(await types()).not.toContain('ToolCallStarted')
  })

  it('counts calls over all steps of a turn, and anew in the next', async () => {
    const responses = [addOne(1), { text: 'a' }, addOne(1), { text: 'b' }, addOne(1), addOne(2)]
    const { session } = await openSession({ responses, tools: [add], limits: { calls: 1 } })

    const statuses = []
    for (const text of ['1', '2', '3']) statuses.push((await session.submit(text).result()).status)

    expect(statuses).toEqual(['done', 'done', 'failed'])
  })

  it('has 25 iterations by default', async () => {
    const { session } = await openSession({ responses: Array.from({ length: 26 }, (_, n) => addOne(n)), tools: [add] })

    const result = await session.submit('Go').result()

    expect(result.error).toEqual({ code: 'tool_limit', message: 'more than 25 rounds of tool calls in one turn' })
    expect(answersOf(session.history())).toHaveLength(26)
  })

  it('has 100 calls by default', async () => {
    const hundred = Array.from({ length: 100 }, (_, a) => ({ name: 'add', input: { a, b: 0 } }))
    const { session } = await openSession({ responses: [calling(...hundred), addOne(1)], tools: [add] })

    const result = await session.submit('Go').result()

    expect(result.error).toEqual({ code: 'tool_limit', message: 'more than 100 tool calls in one turn' })
    expect(resultTexts(session.history()).slice(0, 100)).toEqual(hundred.map((call) => String(call.input.a)))
  })
})

describe('decideCalls', () => {
  it.each([
    ['the output limit', 'length', 'a half-written argument', '{"value":"half'],
    ['the output limit', 'length', 'no argument at all', ''],
    ['the content filter', 'content_filter', 'a half-written argument', '{"value":"half'],
    ['the content filter', 'content_filter', 'no argument at all', ''],
  ] as const)('does not run a call that %s cut off: %s at %s', async (by, reason, _what, args) => {
    const ran: string[] = []
    const client = streamingClient(async function* (n) {
      if (n === 1) yield* callEvents('c1', 'touch', args)
      else yield* textEvents('sorry')
      yield { type: 'finish', reason: n === 1 ? reason : 'stop' }
    })
    const { session } = await openSession({ client, tools: [effectTool('touch', (value) => void ran.push(value))] })

    await session.submit('Go').result()

    expect(ran).toEqual([])
    expect(answersOf(session.history())[0]?.blocks).toMatchObject([{ type: 'tool_use', input: {} }])
    expect(resultTexts(session.history())).toEqual([expect.stringContaining(`cut off by ${by}`)])
  })

  it('runs a whole call of a response that ended at the output limit', async () => {
    const ran: string[] = []
    const client = streamingClient(async function* (n) {
      if (n === 1) yield* callEvents('c1', 'touch', '{"value":"a"}')
      else yield* textEvents('done')
      yield { type: 'finish', reason: n === 1 ? 'length' : 'stop' }
    })
    const { session } = await openSession({ client, tools: [effectTool('touch', (value) => void ran.push(value))] })

    await session.submit('Go').result()

    expect(ran).toEqual(['a'])
  })

  it('prepares and judges every call before any of them runs', async () => {
    const order: string[] = []
    const tool = (name: string) =>
      defineTool({
        name,
        description: 'Tells when.',
        inputSchema: z.strictObject({}),
        prepare: () => {
          order.push(`prepare ${name}`)
          return { summary: name, artifact: null, requirements: [] }
        },
        run: () => {
          order.push(`run ${name}`)
          return textResult('ok')
        },
      })
    const responses = [calling({ name: 'a' }, { name: 'b' }), { text: 'done' }]
    const { session } = await openSession({ responses, tools: [tool('a'), tool('b')] })

    await session.submit('Go').result()

    expect(order).toEqual(['prepare a', 'prepare b', 'run a', 'run b'])
  })
})
