import { byteLength } from '@looprig/core'
import { scriptedClient } from '@looprig/inference/testing'
import { defineTool, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fakeClock } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'
import { effectTool, streamingClient, textEvents, whenAborted } from '../session/open-session.ts'
import { agentIds, answers, calls, openAgents, starts } from './agent-session.ts'

/** A model that never answers. */
const silent = streamingClient(async function* (_n, signal) {
  await whenAborted(signal)
  yield* textEvents('too late')
})

describe('StartAgent', () => {
  it('gives the call the text of the agent, whose loop starts before any of its turns', async () => {
    const { session, types, requests } = await openAgents({
      loops: { main: { says: [starts('scout'), { text: 'Thanks.' }] }, scout: { says: [{ text: 'Found it.' }] } },
    })

    const result = await session.submit('go').result()

    expect(result).toMatchObject({ status: 'done', text: 'Thanks.' })
    expect(answers(session.history())).toEqual([
      {
        agent_id: expect.any(String),
        name: 'scout',
        state: 'idle',
        response_status: 'completed',
        response: 'Found it.',
      },
    ])
    expect(requests.scout?.[0]?.messages).toEqual([{ role: 'user', blocks: [{ type: 'text', text: 'work as scout' }] }])
    expect(await types('LoopStarted', 'TurnStarted', 'TurnDone', 'LoopIdle', 'SessionActive', 'SessionIdle')).toEqual([
      'main:TurnStarted',
      'SessionActive',
      'scout:LoopStarted',
      'scout:TurnStarted',
      'scout:TurnDone',
      'scout:LoopIdle',
      'main:TurnDone',
      'main:LoopIdle',
      'SessionIdle',
    ])
  })

  it('has the keys of its result in their order', async () => {
    const { session } = await openAgents({
      loops: { main: { says: [starts('scout'), { text: 'ok' }] }, scout: { says: [{ text: 'Found.' }] } },
    })

    await session.submit('go').result()

    expect(Object.keys(answers(session.history())[0] as object)).toEqual([
      'agent_id',
      'name',
      'state',
      'response_status',
      'response',
    ])
  })

  it('makes the step, the loop, its request and its turn durable in one append, which is the run of the call', async () => {
    const { session, store } = await openAgents({
      loops: {
        main: { says: [starts('scout', { name: 'Ann' }), { text: 'ok' }] },
        scout: { says: [{ text: 'Found.' }] },
      },
    })

    await session.submit('go').result()

    const records = await readRecords(store, session.id)
    const from = records.findIndex(({ kind }) => kind === 'step')
    const [step, started, input, turn] = records.slice(from, from + 4).map(({ body }) => JSON.parse(body))
    const [scout] = agentIds(session)
    const caller = {
      loopId: session.loopId,
      turnId: step.turnId,
      stepId: step.stepId,
      toolExecutionId: step.calls[0].executionId,
    }
    expect(started).toEqual({ v: 1, type: 'LoopStarted', loopId: scout, name: 'scout', parent: caller, label: 'Ann' })
    expect(input).toMatchObject({ loopId: scout, agency: 'machine', noFold: true, caller })
    expect(turn).toMatchObject({ type: 'TurnStarted', loopId: scout })
    expect(new Set(records.slice(from, from + 4).map(({ at }) => at)).size).toBe(1)
    expect(records.filter(({ kind }) => kind === 'run')).toEqual([])
  })

  it('gives an agent nothing of its parent: neither tools nor gate nor transcript', async () => {
    const { session, requests } = await openAgents({
      loops: {
        main: { says: [starts('scout'), { text: 'ok' }], tools: [effectTool('Secret', () => undefined)] },
        scout: {
          says: [calls('Secret', {}), { text: 'no' }],
          gate: undefined,
          tools: [effectTool('Own', () => undefined)],
        },
      },
    })

    await session.submit('my own words').result()

    const [scout] = agentIds(session)
    expect(requests.scout?.[0]?.tools?.map(({ name }) => name)).toEqual(['Own'])
    expect(JSON.stringify(requests.scout?.[0]?.messages)).not.toContain('my own words')
    expect(answers(session.history(scout))).toEqual(['error: unknown tool: Secret'])
  })

  it('builds the tools of an agent before anything is durable', async () => {
    const broken = defineTool({
      name: 'Broken',
      description: 'Cannot be built.',
      pure: true,
      inputSchema: z.strictObject({}),
      setup: () => {
        throw new Error('no /secret/path')
      },
      run: () => textResult('never'),
    })
    const { session, store } = await openAgents({
      loops: { main: { says: [starts('scout'), { text: 'ok' }] }, scout: { tools: [broken] } },
    })

    await session.submit('go').result()

    expect(answers(session.history())).toEqual(['StartAgent failed: its tools could not be built'])
    const kept = (await readRecords(store, session.id)).filter(
      ({ id, kind }) => id.startsWith('loop/') || kind === 'step',
    )
    expect(kept).toHaveLength(1)
  })

  it('runs eight agents of one response side by side', async () => {
    let working = 0
    let most = 0
    const busy = streamingClient(async function* () {
      working += 1
      most = Math.max(most, working)
      await new Promise((resolve) => setImmediate(resolve))
      working -= 1
      yield* textEvents('done')
      yield { type: 'finish', reason: 'stop', usage: {}, model: 'm' } as never
    })
    const { session } = await openAgents({
      loops: { main: { says: [starts('scout', {}, 8), { text: 'ok' }] }, scout: { client: busy } },
    })

    expect(await session.submit('go').result()).toMatchObject({ status: 'done' })

    expect(most).toBe(8)
    expect(answers(session.history())).toHaveLength(8)
    expect(new Set(agentIds(session)).size).toBe(8)
  })

  it('starts no more agents than the quota, however often a model asks, and writes nothing of the others', async () => {
    const { session, store } = await openAgents({
      loops: {
        main: { says: [starts('scout', {}, 3), starts('scout'), { text: 'ok' }] },
        scout: { client: scriptedClient([{ text: 'a' }, { text: 'b' }]) },
      },
      rig: { delegation: { quota: 2 } },
    })

    await session.submit('go').result()

    const refused = 'StartAgent failed: all 2 agents of this session were started'
    expect(
      answers(session.history())
        .map((answer) => (typeof answer === 'string' ? answer : 'ok'))
        .toSorted(),
    ).toEqual([refused, refused, 'ok', 'ok'].toSorted())
    expect((await readRecords(store, session.id)).filter(({ id }) => id.startsWith('loop/'))).toHaveLength(3)
  })

  it('refuses agents beyond the depth: no loop starts, and the quota is as before', async () => {
    const { session } = await openAgents({
      loops: {
        main: { says: [starts('main'), starts('main'), { text: 'ok' }], delegates: ['main'] },
      },
      rig: { delegation: { depth: 2, quota: 1 } },
    })

    const result = await session.submit('go').result()

    // the agent runs the same script: it asks for an agent of its own and is refused
    const [child] = agentIds(session)
    expect(answers(session.history(child))).toEqual(['StartAgent failed: agents may be 1 deep; do it yourself'])
    expect(session.loops).toHaveLength(2)
    expect(result.status).toBe('failed')
  })

  it('tells a model what is wrong with its arguments, and starts nothing', async () => {
    const says = [
      starts('nobody'),
      calls('StartAgent', { agent_type: 'scout', instructions: ' ' }),
      calls('StartAgent', { agent_type: 'scout', instructions: 'x', wait_for_response: false }),
      calls('StartAgent', { agent_type: 'scout', instructions: 'x'.repeat(300 * 1024) }),
      calls('StartAgent', { agent_type: 'scout', instructions: 'é'.repeat(100 * 1024) }),
      calls('MessageAgent', { agent_id: 'x', message: 'x' }),
      { text: 'ok' },
    ]
    const { session } = await openAgents({ loops: { main: { says }, scout: {} } })

    await session.submit('go').result()

    const texts = answers(session.history()).map(String)
    expect(texts.map((text) => text.split(':', 2).join(':'))).toEqual([
      'invalid_value: agent_type',
      'invalid_value: instructions',
      'invalid_value: wait_for_response',
      'oversized: expected at most 262144 bytes',
      'invalid_value: instructions',
      'error: unknown tool',
    ])
    for (const text of texts) expect(byteLength(text)).toBeLessThanOrEqual(512)
    expect(session.loops).toHaveLength(1)
  })

  it('tells why an agent failed', async () => {
    const { session } = await openAgents({
      loops: {
        main: { says: [starts('scout'), { text: 'ok' }] },
        scout: { says: [{ error: { code: 'overloaded' } }] },
      },
    })

    await session.submit('go').result()

    expect(answers(session.history())).toEqual([
      'agent failed: overloaded: the script fails this request with overloaded',
    ])
  })

  it('stops an agent whose time is up, and says so', async () => {
    const clock = fakeClock()
    const { session, recording, types } = await openAgents({
      loops: { main: { says: [starts('scout', { timeout_seconds: 5 }), { text: 'ok' }] }, scout: { client: silent } },
      clock,
    })
    const submission = session.submit('go')
    await recording.waitFor('TurnStarted', 2)
    await clock.whenPending()

    await clock.advance(5_000)

    expect(await submission.result()).toMatchObject({ status: 'done' })
    expect(answers(session.history())).toEqual(['agent timed out'])
    expect(await types('TurnInterrupted', 'TurnDone')).toEqual(['scout:TurnInterrupted', 'main:TurnDone'])
  })

  it('keeps a result within its bound by shortening the answer, as valid JSON', async () => {
    const long = `${'"\\\u0001é'.repeat(40_000)}END`
    const { session } = await openAgents({
      loops: { main: { says: [starts('scout'), { text: 'ok' }] }, scout: { says: [{ text: long }] } },
    })

    await session.submit('go').result()

    const [result] = session.history().filter((message) => message.role === 'tool')
    const text = result?.blocks[0]?.type === 'text' ? result.blocks[0].text : ''
    expect(byteLength(text)).toBeLessThanOrEqual(256 * 1024)
    const { response } = JSON.parse(text)
    expect(response.endsWith('… [truncated]')).toBe(true)
    expect(long.startsWith(response.slice(0, -'… [truncated]'.length))).toBe(true)
  })

  it('keeps a result valid JSON under the smallest limit of a loop', async () => {
    const { session } = await openAgents({
      loops: {
        main: { says: [starts('scout', { name: '"'.repeat(256) }), { text: 'ok' }], limits: { resultBytes: 256 } },
        scout: { says: [{ text: '"'.repeat(500) }] },
      },
    })

    await session.submit('go').result()

    expect(answers(session.history())).toEqual([expect.objectContaining({ response_status: 'completed' })])
  })

  it('follows only its own turn: the events of an agent are the session’s', async () => {
    const { session, recording } = await openAgents({
      loops: { main: { says: [starts('scout'), { text: 'ok' }] }, scout: { says: [{ text: 'Found.' }] } },
    })

    const seen = new Set<string>()
    for await (const { event } of session.submit('go')) if ('loopId' in event) seen.add(event.loopId ?? '')

    expect([...seen]).toEqual([session.loopId])
    expect(recording.events('StepDone').map(({ loopId }) => loopId === session.loopId)).toEqual([false, true, true])
  })
})
