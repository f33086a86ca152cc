import { scriptedClient } from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { readRecords } from '../journal/stores.ts'
import { streamingClient, textEvents, whenAborted } from '../session/open-session.ts'
import { agentIds, answers, calls, heard, openAgents, starts } from './agent-session.ts'

/** A model that answers its n-th request when it is let. */
function held(count = 1) {
  const gates = Array.from({ length: count }, () => createDeferred<string>())
  const client = streamingClient(async function* (n, signal) {
    const text = await Promise.race([gates[n - 1]?.promise ?? 'no more', whenAborted(signal).then(() => 'aborted')])
    yield* textEvents(text)
    yield { type: 'finish', reason: 'stop', usage: {}, model: 'm' } as never
  })
  return { client, say: (n: number, text: string) => gates[n - 1]?.resolve(text) }
}

/** A model whose calls name the agent of the session. */
function withAgent(steps: readonly (readonly [string, object] | string)[], agent: () => string | undefined) {
  return streamingClient(async function* (n) {
    const step = steps[n - 1] ?? 'no more'
    if (typeof step === 'string') yield* textEvents(step)
    else {
      const input = JSON.stringify({ ...step[1], ...(step[0] === 'StartAgent' ? {} : { agent_id: agent() }) })
      yield { type: 'block_start', blockIndex: 0, block: { type: 'tool_use', id: `c${n}`, name: step[0] } }
      yield { type: 'tool_input_delta', blockIndex: 0, text: input }
      yield { type: 'block_end', blockIndex: 0 }
    }
    const reason = typeof step === 'string' ? 'stop' : 'tool_use'
    yield { type: 'finish', reason, usage: {}, model: 'm' } as never
  })
}

const background = { agent_type: 'scout', instructions: 'look', wait_for_response: false }

describe('a managed agent', () => {
  it('works in the background, and its answer begins a turn of its resting parent', async () => {
    const scout = held()
    const { session, recording, types } = await openAgents({
      loops: {
        main: {
          says: [starts('scout', { wait_for_response: false }), { text: 'started' }, { text: 'thanks' }],
          delegation: 'managed',
        },
        scout: { client: scout.client },
      },
    })

    expect(await session.submit('go').result()).toMatchObject({ text: 'started' })
    const [id] = agentIds(session)
    expect(answers(session.history())).toEqual([{ agent_id: id, name: 'scout', state: 'working' }])
    let isIdle = false
    const idle = session.waitIdle().then(() => {
      isIdle = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isIdle).toBe(false)
    scout.say(1, 'found')
    await idle

    expect(heard(session.history())[1]).toEqual({
      agent_id: id,
      name: 'scout',
      state: 'idle',
      response_status: 'completed',
      correlation_id: expect.any(String),
      response: 'found',
    })
    expect(recording.events('TurnDone')).toHaveLength(3)
    expect(await types('TurnStarted', 'TurnDone', 'LoopIdle', 'SessionActive', 'SessionIdle')).toEqual([
      'main:TurnStarted',
      'SessionActive',
      'scout:TurnStarted',
      'main:TurnDone',
      'main:LoopIdle',
      'scout:TurnDone',
      'scout:LoopIdle',
      'main:TurnStarted',
      'main:TurnDone',
      'main:LoopIdle',
      'SessionIdle',
    ])
  })

  it('ends in the same append that hands its answer back', async () => {
    const { session, store } = await openAgents({
      loops: {
        main: {
          says: [starts('scout', { wait_for_response: false }), { text: 'a' }, { text: 'b' }],
          delegation: 'managed',
        },
        scout: { says: [{ text: 'found' }] },
      },
    })

    await session.submit('go').result()
    await session.waitIdle()

    const records = await readRecords(store, session.id)
    const [scout] = agentIds(session)
    const end = records.findIndex(({ body }) => body.includes('TurnDone') && body.includes(scout ?? '?'))
    const handed = records.findIndex(({ kind, body }) => kind === 'input' && body.includes('response_status'))
    expect(end).toBeGreaterThan(0)
    expect(records[handed]?.at).toBe(records[end]?.at)
    expect(JSON.parse(records[handed]?.body ?? '')).toMatchObject({ loopId: session.loopId, agency: 'machine' })
  })

  it('hands back why it failed', async () => {
    const { session } = await openAgents({
      loops: {
        main: {
          says: [starts('scout', { wait_for_response: false }), { text: 'a' }, { text: 'b' }],
          delegation: 'managed',
        },
        scout: { says: [{ error: { code: 'overloaded' } }] },
      },
    })

    await session.submit('go').result()
    await session.waitIdle()

    expect(heard(session.history())[1]).toMatchObject({
      response_status: 'failed',
      response: 'agent failed: overloaded: the script fails this request with overloaded',
    })
  })

  it('joins a working parent at its next step', async () => {
    const scout = held()
    const parent = held(3)
    const { session, recording } = await openAgents({
      loops: {
        main: {
          client: streamingClient(async function* (n, signal, request) {
            if (n === 1) yield* scriptedClient([starts('scout', { wait_for_response: false })]).stream(request)
            else if (n === 2) {
              scout.say(1, 'found')
              await recording.waitFor('TurnDone')
              yield* scriptedClient([calls('ListAgents', {})]).stream(request)
            } else yield* parent.client.stream(request, { signal })
          }),
          delegation: 'managed',
        },
        scout: { client: scout.client },
      },
    })
    parent.say(1, 'thanks')

    expect(await session.submit('go').result()).toMatchObject({ text: 'thanks' })

    expect(recording.events('TurnFoldedInto')).toHaveLength(1)
    expect(heard(session.history())[1]).toMatchObject({ response: 'found' })
    expect(await session.waitIdle()).toBe('idle')
  })

  it('is given more to do, keeps what it knows, and answers', async () => {
    let id: string | undefined
    const main = withAgent(
      [
        ['StartAgent', { agent_type: 'scout', instructions: 'look' }],
        ['MessageAgent', { message: 'and there?' }],
        'ok',
      ],
      () => id,
    )
    const { session, recording, requests } = await openAgents({
      loops: { main: { client: main, delegation: 'managed' }, scout: { says: [{ text: 'here' }, { text: 'there' }] } },
    })
    const submission = session.submit('go')
    id = (await recording.waitFor('LoopStarted')).loopId

    await submission.result()

    expect(answers(session.history())).toMatchObject([{ response: 'here' }, { agent_id: id, response: 'there' }])
    expect(requests.scout?.[1]?.messages).toHaveLength(3)
  })

  it('takes a message into the turn that runs, or has it wait, and both are answered', async () => {
    let id: string | undefined
    const scout = held(2)
    const main = withAgent(
      [
        ['StartAgent', background],
        ['MessageAgent', { message: 'more', wait_for_response: false }],
        'waiting',
        'one',
        'two',
      ],
      () => id,
    )
    const { session, recording } = await openAgents({
      loops: { main: { client: main, delegation: 'managed' }, scout: { client: scout.client } },
    })
    const submission = session.submit('go')
    id = (await recording.waitFor('LoopStarted')).loopId
    await submission.result()
    expect(answers(session.history())).toMatchObject([{ state: 'working' }, { delivery_status: 'accepted_pending' }])

    scout.say(1, 'first')
    scout.say(2, 'second')
    await session.waitIdle()

    expect(heard(session.history()).slice(1)).toMatchObject([{ response: 'first' }, { response: 'second' }])
  })

  it('lists the agents of the caller, and no other', async () => {
    let id: string | undefined
    const main = withAgent([['StartAgent', background], ['ListAgents', {}], 'ok', 'ok'], () => id)
    const scout = held()
    const { session, recording } = await openAgents({
      loops: { main: { client: main, delegation: 'managed' }, scout: { client: scout.client } },
    })
    const submission = session.submit('go')
    id = (await recording.waitFor('LoopStarted')).loopId

    await submission.result()
    scout.say(1, 'x')
    await session.waitIdle()

    expect(answers(session.history())[1]).toEqual({
      agents: [{ agent_id: id, name: 'scout', agent_type: 'scout', state: 'working', queued_messages: 0 }],
      truncated: false,
    })
  })

  it('is stopped by its parent, which is not told of it again, and takes more', async () => {
    let id: string | undefined
    const main = withAgent(
      [['StartAgent', background], ['StopAgent', {}], ['MessageAgent', { message: 'again' }], 'ok'],
      () => id,
    )
    const scout = held(2)
    scout.say(2, 'back')
    const { session, recording, types } = await openAgents({
      loops: { main: { client: main, delegation: 'managed' }, scout: { client: scout.client } },
    })
    const submission = session.submit('go')
    id = (await recording.waitFor('LoopStarted')).loopId

    await submission.result()
    await session.waitIdle()

    expect(answers(session.history())).toMatchObject([
      { state: 'working' },
      { agent_id: id, previous_state: 'working', state: 'idle' },
      { response: 'back' },
    ])
    expect(heard(session.history())).toEqual(['go'])
    expect(await types('TurnInterrupted', 'TurnDone')).toEqual([
      'scout:TurnInterrupted',
      'scout:TurnDone',
      'main:TurnDone',
    ])
  })

  it('cannot be reached by who did not start it', async () => {
    let id: string | undefined
    const scoutModel = withAgent(
      [['MessageAgent', { message: 'x' }], ['StopAgent', {}], ['ListAgents', {}], 'tried'],
      () => id,
    )
    const main = withAgent([['StartAgent', { agent_type: 'scout', instructions: 'x' }], 'ok'], () => id)
    const { session, recording } = await openAgents({
      loops: {
        main: { client: main, delegation: 'managed' },
        scout: { client: scoutModel, delegates: ['scout'], delegation: 'managed' },
      },
    })
    const submission = session.submit('go')
    id = (await recording.waitFor('LoopStarted')).loopId

    await submission.result()

    const [scout] = agentIds(session)
    expect(answers(session.history(scout))).toEqual([
      'MessageAgent failed: you started no agent with this id',
      'StopAgent failed: you started no agent with this id',
      'ListAgents failed: you started no agent with this id',
    ])
  })

  it('takes a message that nobody waits for any more when the time of the call is up', async () => {
    const { fakeClock } = await import('../../src/testing.ts')
    const clock = fakeClock()
    let id: string | undefined
    const main = withAgent(
      [
        ['StartAgent', { agent_type: 'scout', instructions: 'x' }],
        ['MessageAgent', { message: 'slow', timeout_seconds: 3 }],
        'ok',
      ],
      () => id,
    )
    const scout = held(2)
    scout.say(1, 'here')
    const { session, recording, types } = await openAgents({
      loops: { main: { client: main, delegation: 'managed' }, scout: { client: scout.client } },
      clock,
    })
    const submission = session.submit('go')
    id = (await recording.waitFor('LoopStarted')).loopId
    await recording.waitFor('TurnStarted', 3)
    await clock.whenPending()

    await clock.advance(3_000)

    await submission.result()
    expect(answers(session.history())[1]).toMatchObject({ state: 'working', delivery_status: 'accepted_pending' })
    scout.say(2, 'late')
    await session.waitIdle()
    expect(await types('TurnInterrupted')).toEqual([])
    expect(heard(session.history())).toEqual(['go'])
  })

  it('is handed back to a parent whose queue is full', async () => {
    const scout = held()
    const parent = held(200)
    const { session, recording } = await openAgents({
      loops: {
        main: {
          client: streamingClient(async function* (n, signal, request) {
            if (n === 1) yield* scriptedClient([starts('scout', { wait_for_response: false })]).stream(request)
            else yield* parent.client.stream(request, { signal })
          }),
          delegation: 'managed',
        },
        scout: { client: scout.client },
      },
    })
    const first = session.submit('go')
    await recording.waitFor('LoopStarted')
    await recording.waitFor('StepDone')
    const more = Array.from({ length: 64 }, (_, n) => session.submit(`more ${n}`))
    await Promise.all(more.map(({ accepted }) => accepted))
    await expect(session.submit('one too many').accepted).rejects.toMatchObject({ code: 'queue_full' })

    scout.say(1, 'found')
    await recording.waitFor('TurnDone')
    for (let n = 1; n <= 70; n += 1) parent.say(n, `answer ${n}`)
    await first.result()
    await session.waitIdle()

    expect(heard(session.history()).at(-1)).toMatchObject({ response: 'found' })
    expect(recording.events('TurnRejected')).toEqual([])
  })
})
