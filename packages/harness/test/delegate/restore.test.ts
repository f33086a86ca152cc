import type { AppendRequest, Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { adoptAll, type Session } from '../../src/index.ts'
import { countingIds, faultyStore } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'
import { effectTool, streamingClient, textEvents, whenAborted } from '../session/open-session.ts'
import { expectWholeSession } from './agent-invariants.ts'
import {
  agentIds,
  agentRig,
  answers,
  calls,
  follow,
  heard,
  openAgents,
  starts,
  type TestLoop,
} from './agent-session.ts'
import { storeWith, until } from './lost-owner.ts'

/** A model that never answers. */
const silent = streamingClient(async function* (_n, signal) {
  await whenAborted(signal)
  yield* textEvents('too late')
})

/** Restores what a killed owner left, in a process of its own. */
async function restore(store: Store, id: Session['id'], loops: Readonly<Record<string, TestLoop>>, seed = 2, rig = {}) {
  const made = agentRig({ loops, store, ids: countingIds(seed), rig })
  return { ...made, ...(await follow(made.rig, await made.rig.restoreSession(id))) }
}

/** Drives a session until its owner is killed, and gives what it wrote. */
async function record(
  loops: Readonly<Record<string, TestLoop>>,
  drive: (opened: Awaited<ReturnType<typeof openAgents>>) => Promise<void>,
) {
  const store = faultyStore(memoryStore(), () => undefined)
  const opened = await openAgents({ loops, store, ids: countingIds(1) })
  await drive(opened)
  return { id: opened.session.id, groups: [...store.appends] as readonly AppendRequest[], ...opened }
}

const gated = (did: string[]): TestLoop => ({
  says: [calls('Act', { value: 'ask' }), { text: 'acted' }],
  tools: [effectTool('Act', (value) => void did.push(value))],
})

describe('a restore with an agent at a gate', () => {
  it('keeps agent and parent where they are: after the approval the call runs once, and the parent goes on with the answer', async () => {
    const { id, groups } = await record(
      { main: { says: [starts('scout')] }, scout: gated([]) },
      async ({ session, recording }) => {
        session.submit('go')
        await recording.waitFor('PermissionRequested')
      },
    )
    const did: string[] = []
    const store = await storeWith(groups, id)
    const before = (await readRecords(store, id)).length

    const { session, recording } = await restore(store, id, {
      main: { says: [{ text: 'Thanks.' }] },
      scout: { ...gated(did), says: [{ text: 'acted' }] },
    })

    expect((await readRecords(store, id)).length).toBe(before)
    const [gate] = session.gates()
    expect(gate?.loopId).toBe(agentIds(session)[0])
    expect(await session.waitIdle({ orWaiting: true })).toBe('waiting')
    if (gate !== undefined) await session.answer(gate.gateId, { action: 'approve' })
    await session.waitIdle()

    expect(did).toEqual(['ask'])
    expect(answers(session.history())).toMatchObject([{ response: 'acted', response_status: 'completed' }])
    expect(session.history().at(-1)).toMatchObject({ blocks: [{ text: 'Thanks.' }] })
    expect(recording.events('TurnInterrupted')).toEqual([])
    expectWholeSession(await readRecords(store, id))
  })

  it('does so again after a shutdown, which parks both without a record', async () => {
    const did: string[] = []
    const { id, session, store } = await record(
      { main: { says: [starts('scout')] }, scout: gated([]) },
      async ({ session: first, recording }) => {
        first.submit('go')
        await recording.waitFor('PermissionRequested')
      },
    )
    const before = (await readRecords(store, id)).length
    await session.shutdown()
    expect((await readRecords(store, id)).length).toBe(before)

    const second = await restore(store, id, { main: {}, scout: { tools: gated([]).tools } })
    await second.session.shutdown()
    expect((await readRecords(store, id)).length).toBe(before)

    const third = await restore(
      store,
      id,
      { main: { says: [{ text: 'Thanks.' }] }, scout: { ...gated(did), says: [{ text: 'acted' }] } },
      3,
    )
    for (const gate of third.session.gates()) await third.session.answer(gate.gateId, { action: 'approve' })
    await third.session.waitIdle()

    expect(did).toEqual(['ask'])
    expect(answers(third.session.history())).toMatchObject([{ response: 'acted' }])
  })

  it('gives the input of the parent the result waiting when it is parked', async () => {
    const { session, recording } = await openAgents({ loops: { main: { says: [starts('scout')] }, scout: gated([]) } })
    const submission = session.submit('go')
    await recording.waitFor('PermissionRequested')

    await session.shutdown()

    expect(await submission.result()).toMatchObject({ status: 'waiting' })
  })

  it('closes both in one append when a sibling call of the parent is of unknown outcome, with the gate abandoned', async () => {
    const loops = {
      main: {
        says: [
          {
            toolCalls: [
              { id: 'a', name: 'StartAgent', input: { agent_type: 'scout', instructions: 'x' } },
              { id: 'b', name: 'Busy', input: {} },
            ],
          },
        ],
        tools: [effectTool('Busy', (_, signal) => whenAborted(signal))],
      },
      scout: gated([]),
    }
    const { id, groups } = await record(loops, async ({ session, recording }) => {
      session.submit('go')
      await recording.waitFor('PermissionRequested')
    })
    const store = faultyStore(await storeWith(groups, id), () => undefined)

    const { session, types } = await restore(store, id, { ...loops, main: { ...loops.main, says: [] } })

    const [repair] = store.appends
    const names = repair?.records.map(({ body }) => JSON.parse(body).type)
    expect(names).toEqual([
      'GateResolved',
      'StepDone',
      'TurnInterrupted',
      'LoopIdle',
      'StepDone',
      'TurnInterrupted',
      'LoopIdle',
      'SessionIdle',
    ])
    expect(session.gates()).toEqual([])
    expect(answers(session.history())).toEqual(['agent interrupted', expect.stringContaining('outcome_unknown')])
    expect(await types()).toEqual([])
    expectWholeSession(await readRecords(store, id))
  })

  it('goes on with what had not started beside it', async () => {
    const did: string[] = []
    const loops = {
      main: {
        says: [
          {
            toolCalls: [
              { id: 'a', name: 'StartAgent', input: { agent_type: 'scout', instructions: 'x' } },
              { id: 'b', name: 'Busy', input: { value: 'later' } },
            ],
          },
        ],
        limits: { parallel: 1 },
        tools: [effectTool('Busy', (value) => void did.push(value))],
      },
      scout: gated([]),
    }
    const { id, groups } = await record(loops, async ({ session, recording }) => {
      session.submit('go')
      await recording.waitFor('PermissionRequested')
    })
    const { session } = await restore(await storeWith(groups, id), id, {
      main: { ...loops.main, says: [{ text: 'ok' }] },
      scout: { ...gated(did), says: [{ text: 'acted' }] },
    })
    expect(did).toEqual([])

    for (const gate of session.gates()) await session.answer(gate.gateId, { action: 'approve' })
    await session.waitIdle()

    expect(did).toEqual(['ask', 'later'])
    expect(answers(session.history())).toMatchObject([{ response: 'acted' }, 'Busy did later'])
  })

  it('of a parent that a shutdown closes is closed too', async () => {
    const loops = {
      main: {
        says: [
          {
            toolCalls: [
              { id: 'a', name: 'StartAgent', input: { agent_type: 'scout', instructions: 'x' } },
              { id: 'b', name: 'Busy', input: {} },
            ],
          },
        ],
        tools: [effectTool('Busy', (_, signal) => whenAborted(signal))],
      },
      scout: gated([]),
    }
    const { session, recording, types, store } = await openAgents({ loops })
    session.submit('go')
    await recording.waitFor('PermissionRequested')

    await session.shutdown()

    expect(await types('GateResolved', 'TurnInterrupted')).toEqual([
      'scout:GateResolved',
      'scout:TurnInterrupted',
      'main:TurnInterrupted',
    ])
    expect(answers(session.history())[0]).toBe('agent interrupted')
    expectWholeSession(await readRecords(store, session.id))
  })

  it('three deep keeps all of them', async () => {
    const did: string[] = []
    const loops = {
      main: { says: [starts('mid')], delegates: ['mid'] },
      mid: { says: [starts('leaf')], delegates: ['leaf'] },
      leaf: gated(did),
    }
    const { id, groups } = await record(loops, async ({ session, recording }) => {
      session.submit('go')
      await recording.waitFor('PermissionRequested')
    })
    const { session } = await restore(await storeWith(groups, id), id, {
      main: { ...loops.main, says: [{ text: 'top' }] },
      mid: { ...loops.mid, says: [{ text: 'middle' }] },
      leaf: { ...gated(did), says: [{ text: 'acted' }] },
    })

    for (const gate of session.gates()) await session.answer(gate.gateId, { action: 'approve' })
    await session.waitIdle()

    expect(did).toEqual(['ask'])
    expect(session.history().at(-1)).toMatchObject({ blocks: [{ text: 'top' }] })
  })
})

describe('a restore without a question', () => {
  it('closes agent and parent: the result is that the agent was interrupted, never unknown', async () => {
    const loops = { main: { says: [starts('scout')] }, scout: { client: silent } }
    const { id, groups } = await record(loops, async ({ session, recording }) => {
      session.submit('go')
      await recording.waitFor('TurnStarted', 2)
    })

    const { session } = await restore(await storeWith(groups, id), id, { ...loops, main: {} })

    expect(answers(session.history())).toEqual(['agent interrupted'])
    expect(await session.waitIdle()).toBe('idle')
  })

  it('gives the call the answer of an agent that had ended', async () => {
    const loops = { main: { says: [starts('scout'), { text: 'ok' }] }, scout: { says: [{ text: 'found' }] } }
    const { id, groups } = await record(loops, async ({ session }) => void (await session.submit('go').result()))
    const cut = until(groups, 'TurnDone')

    const { session } = await restore(await storeWith(cut, id), id, { main: {}, scout: {} })

    expect(answers(session.history())).toMatchObject([
      { name: 'scout', response: 'found', response_status: 'completed' },
    ])
  })

  it('gives it the failure of an agent that had failed', async () => {
    const loops = {
      main: { says: [starts('scout'), { text: 'ok' }] },
      scout: { says: [{ error: { code: 'overloaded' as const } }] },
    }
    const { id, groups } = await record(loops, async ({ session }) => void (await session.submit('go').result()))

    const { session } = await restore(await storeWith(until(groups, 'TurnFailed'), id), id, { main: {}, scout: {} })

    expect(answers(session.history())).toEqual([
      'agent failed: overloaded: the script fails this request with overloaded',
    ])
  })

  it('counts the agents of before: with 3 started and a quota of 4, one more starts', async () => {
    const loops = { main: { says: [starts('scout', {}, 3), { text: 'ok' }] }, scout: { client: answering } }
    const { id, groups } = await record(loops, async ({ session }) => void (await session.submit('go').result()))

    const { session } = await restore(
      await storeWith(groups, id),
      id,
      { main: { says: [starts('scout', {}, 2), { text: 'ok' }] }, scout: { client: answering } },
      2,
      { delegation: { quota: 4 } },
    )
    await session.submit('more').result()

    expect(agentIds(session)).toHaveLength(4)
    expect(
      answers(session.history())
        .slice(3)
        .map((answer) => typeof answer)
        .toSorted(),
    ).toEqual(['object', 'string'])
  })
})

/** A model that answers everything at once. */
const answering = streamingClient(async function* () {
  yield* textEvents('done')
  yield { type: 'finish', reason: 'stop', usage: {}, model: 'm' } as never
})

describe('a restore by a rig that has the agents no more', () => {
  it('closes what they did, leaves them out and still counts them', async () => {
    const loops = {
      main: { says: [starts('scout', {}, 2), starts('scout')] },
      scout: { client: answeringTwice() },
    }
    const { id, groups } = await record(loops, async ({ session, recording }) => {
      session.submit('go')
      await recording.waitFor('TurnStarted', 4)
    })
    const { session, store } = await restore(
      await storeWith(groups, id),
      id,
      { main: { says: [starts('other', {}, 2), { text: 'ok' }] }, other: { client: answering } },
      2,
      { onDrift: adoptAll, delegation: { quota: 4 } },
    )

    expect(session.loops.map(({ name }) => name)).toEqual(['main'])
    await session.submit('more').result()

    const refused = 'StartAgent failed: all 4 agents of this session were started'
    expect(answers(session.history()).slice(2)).toMatchObject(['agent interrupted', { name: 'other' }, refused])
    expectWholeSession(await readRecords(store, id))
  })
})

/** A model that answers two requests and no more. */
function answeringTwice() {
  return streamingClient(async function* (n, signal) {
    if (n > 2) await whenAborted(signal)
    yield* textEvents('done')
    yield { type: 'finish', reason: 'stop', usage: {}, model: 'm' } as never
  })
}

describe('a restore with an agent in the background', () => {
  const background = { wait_for_response: false }

  it('hands its answer back exactly once, killed before or after the append that ends it', async () => {
    const scout = createDeferred<void>()
    const loops = {
      main: {
        says: [starts('scout', background), { text: 'started' }, { text: 'thanks' }],
        delegation: 'managed' as const,
      },
      scout: {
        client: streamingClient(async function* () {
          await scout.promise
          yield* textEvents('found')
          yield { type: 'finish', reason: 'stop', usage: {}, model: 'm' } as never
        }),
      },
    }
    const { id, groups } = await record(loops, async ({ session }) => {
      await session.submit('go').result()
      scout.resolve()
      await session.waitIdle()
    })
    const ended = until(groups, 'input', 'response_status')
    for (const [cut, said] of [
      [ended.slice(0, -1), 'interrupted'],
      [ended, 'completed'],
    ] as const) {
      const store = await storeWith(cut, id)

      const { session } = await restore(store, id, { ...loops, main: { ...loops.main, says: [{ text: 'ok' }] } })
      await session.waitIdle()

      const handed = (await readRecords(store, id)).filter(
        ({ kind, body }) => kind === 'input' && body.includes('response_status'),
      )
      expect(handed).toHaveLength(1)
      expect(heard(session.history())[1]).toMatchObject({ response_status: said })
      await session.shutdown()
      const count = (await readRecords(store, id)).length
      const again = await restore(store, id, { ...loops, main: { delegation: 'managed' } }, 3)
      await again.session.waitIdle()
      expect((await readRecords(store, id)).length).toBe(count)
    }
  })

  it('keeps it at its gate while its parent is closed, and hands the answer back then', async () => {
    const did: string[] = []
    const loops = {
      main: { says: [starts('scout', background)], delegation: 'managed' as const },
      scout: gated([]),
    }
    const { id, groups } = await record(loops, async ({ session, recording }) => {
      session
        .submit('go')
        .result()
        .catch(() => undefined)
      await recording.waitFor('PermissionRequested')
    })
    const { session } = await restore(await storeWith(groups, id), id, {
      main: { says: [{ text: 'thanks' }], delegation: 'managed' },
      scout: { ...gated(did), says: [{ text: 'acted' }] },
    })

    for (const gate of session.gates()) await session.answer(gate.gateId, { action: 'approve' })
    await session.waitIdle()

    expect(did).toEqual(['ask'])
    expect(heard(session.history()).at(-1)).toMatchObject({ response: 'acted', response_status: 'completed' })
  })

  it('keeps what was handed back to a parent whose turn the crash closed', async () => {
    const loops = {
      main: {
        client: streamingClient(async function* (n, signal, request) {
          const { scriptedClient } = await import('@looprig/inference/testing')
          if (n === 1) yield* scriptedClient([starts('scout', background)]).stream(request)
          else await whenAborted(signal)
        }),
        delegation: 'managed' as const,
      },
      scout: { says: [{ text: 'found' }] },
    }
    const { id, groups } = await record(loops, async ({ session, recording }) => {
      session
        .submit('go')
        .result()
        .catch(() => undefined)
      await recording.waitFor('TurnDone')
    })

    const { session } = await restore(await storeWith(groups, id), id, {
      main: { says: [{ text: 'thanks' }], delegation: 'managed' },
      scout: {},
    })
    await session.waitIdle()

    expect(heard(session.history()).at(-1)).toMatchObject({ response: 'found' })
    expect(session.history().at(-1)).toMatchObject({ blocks: [{ text: 'thanks' }] })
  })
})
