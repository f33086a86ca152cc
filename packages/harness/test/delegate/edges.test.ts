import { scriptedClient } from '@looprig/inference/testing'
import type { AppendRequest } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { Denial, defineHooks } from '../../src/index.ts'
import { countingIds, faultyStore } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'
import { effectTool, streamingClient, textEvents, whenAborted } from '../session/open-session.ts'
import { expectWholeSession } from './agent-invariants.ts'
import { agentIds, agentRig, answers, calls, follow, heard, openAgents, starts } from './agent-session.ts'

const finish = { type: 'finish', reason: 'stop', usage: {}, model: 'm' } as never

describe('agents beside other things', () => {
  it('are parked with what a sibling call had done, which is not done again', async () => {
    const did: string[] = []
    const both = {
      toolCalls: [
        { id: 'a', name: 'StartAgent', input: { agent_type: 'scout', instructions: 'x' } },
        { id: 'b', name: 'Quick', input: { value: 'quick' } },
      ],
    }
    const quick = effectTool('Quick', (value) => void did.push(value))
    const act = effectTool('Act', (value) => void did.push(value))
    const { session, recording, store } = await openAgents({
      loops: {
        main: { says: [both], tools: [quick] },
        scout: { says: [calls('Act', { value: 'ask' })], tools: [act] },
      },
    })
    session.submit('go')
    await recording.waitFor('PermissionRequested')
    await session.shutdown()
    // nobody is told of an end that the call does not have
    expect(recording.events('ToolCallCompleted').map(({ toolName }) => toolName)).toEqual(['Quick'])

    const { rig } = agentRig({
      loops: {
        main: { says: [{ text: 'ok' }], tools: [quick] },
        scout: { says: [{ text: 'acted' }], tools: [act] },
      },
      store,
      ids: countingIds(2),
    })
    const again = await follow(rig, await rig.restoreSession(session.id))
    for (const { gateId } of again.session.gates()) await again.session.answer(gateId, { action: 'approve' })
    await again.session.waitIdle()

    expect(did).toEqual(['quick', 'ask'])
    expect(answers(again.session.history())).toMatchObject([{ response: 'acted' }, 'Quick did quick'])
    expectWholeSession(await readRecords(store, session.id))
  })

  it('that fail with requests behind them tell of each, in one append', async () => {
    let id: string | undefined
    const fails = createDeferred<void>()
    const main = streamingClient(async function* (n, signal, request) {
      const message = { message: 'more', wait_for_response: false, agent_id: id }
      const said =
        n === 1
          ? starts('scout', { wait_for_response: false })
          : n === 2
            ? {
                toolCalls: [
                  { id: 'm1', name: 'MessageAgent', input: message as never },
                  { id: 'm2', name: 'MessageAgent', input: message as never },
                ],
              }
            : { text: 'ok' }
      yield* scriptedClient([said]).stream(request, { signal })
    })
    const scout = streamingClient(async function* (_n, signal, request) {
      await fails.promise
      yield* scriptedClient([{ error: { code: 'overloaded' } }]).stream(request, { signal })
    })
    const store = faultyStore(memoryStore(), () => undefined)
    const { session, recording } = await openAgents({
      loops: { main: { client: main, delegation: 'managed' }, scout: { client: scout } },
      store,
    })
    const submission = session.submit('go')
    id = (await recording.waitFor('LoopStarted')).loopId
    await submission.result()
    fails.resolve()
    await session.waitIdle()

    const holds = (part: string) => (append: AppendRequest) => append.records.some(({ body }) => body.includes(part))
    const failed = store.appends.find(holds('TurnFailed'))
    expect(failed?.records.filter(({ kind }) => kind === 'input')).toHaveLength(3)
    // one of them begins a turn, the others wait behind it
    expect(failed?.records.filter(({ body }) => body.includes('TurnStarted'))).toHaveLength(1)
    expect(heard(session.history()).slice(1)).toMatchObject([
      { response_status: 'failed' },
      { response_status: 'cancelled' },
      { response_status: 'cancelled' },
    ])
  })

  it('show in lists as waiting while one of them waits, whatever another one does', async () => {
    const release = createDeferred<void>()
    const { session, recording, rig } = await openAgents({
      loops: {
        main: {
          says: [
            {
              toolCalls: [
                { id: 'a', name: 'StartAgent', input: { agent_type: 'asks', instructions: 'x' } },
                { id: 'b', name: 'StartAgent', input: { agent_type: 'works', instructions: 'x' } },
              ],
            },
            { text: 'ok' },
          ],
        },
        asks: { says: [calls('Act', { value: 'ask' }), { text: 'y' }], tools: [effectTool('Act', () => undefined)] },
        works: {
          client: streamingClient(async function* () {
            await release.promise
            yield* textEvents('done')
            yield finish
          }),
        },
      },
    })
    session.submit('go')
    await recording.waitFor('PermissionRequested')
    release.resolve()
    await recording.waitFor('TurnDone')

    expect(await session.waitIdle({ orWaiting: true })).toBe('waiting')
    expect((await rig.inspect(session.id)).status).toBe('waiting')
    await session.shutdown()
    expect(await rig.sessions()).toMatchObject([{ status: 'waiting' }])
  })

  it('may be refused by a guard: the call is told why', async () => {
    const hooks = defineHooks({
      policyRevision: '1',
      guards: [
        {
          operation: 'turn',
          check: ({ loopName }) => (loopName === 'scout' ? new Denial('closed', 'no scouts today') : undefined),
        },
      ],
    })
    const { session } = await openAgents({
      loops: {
        main: {
          says: [starts('scout'), starts('scout', { wait_for_response: false }), { text: 'ok' }, { text: 'ok' }],
          delegation: 'managed',
        },
        scout: {},
      },
      rig: { hooks },
    })

    await session.submit('go').result()
    await session.waitIdle()

    expect(answers(session.history())[0]).toMatch(/^agent failed: it did not take the request: denied: /)
    expect(heard(session.history()).at(-1)).toMatchObject({ response_status: 'rejected' })
  })

  it('that a guard still judges end with the interrupt of their parent', async () => {
    let judged = createDeferred<void>()
    const hooks = defineHooks({
      policyRevision: '1',
      guards: [
        {
          operation: 'turn',
          check: async ({ loopName }, { signal }) => {
            if (loopName !== 'scout') return undefined
            judged.resolve()
            await whenAborted(signal)
            return undefined
          },
        },
      ],
    })
    for (const end of ['interrupt', 'shutdown'] as const) {
      judged = createDeferred()
      const { session, store } = await openAgents({
        loops: { main: { says: [starts('scout')] }, scout: {} },
        rig: { hooks },
      })
      const submission = session.submit('go')
      await judged.promise

      await session[end]()

      expect(await submission.result()).toMatchObject({ status: 'interrupted' })
      expect(answers(session.history())[0]).toMatch(/^agent (failed|interrupted)/)
      await session.shutdown()
      expectWholeSession(await readRecords(store, session.id))
    }
  })

  it('begin in the mode that they are started in, and keep it over a restore', async () => {
    const modes = [
      { name: 'quick', instructions: 'Be quick.' },
      { name: 'deep', instructions: 'Dig deep.' },
    ]
    const scout = { says: [{ text: 'a' }], modes, initialMode: 'quick' }
    const { session, requests, rig, store } = await openAgents({
      loops: {
        main: {
          says: [starts('scout', { agent_mode: 'deep' }), starts('scout', { agent_mode: 'odd' }), { text: 'ok' }],
        },
        scout,
      },
    })

    await session.submit('go').result()

    expect(requests.scout?.[0]?.system).toBe('Dig deep.')
    expect(answers(session.history())[1]).toMatch(/^invalid_value: agent_mode/)
    const [, agent] = (await rig.inspect(session.id)).loops
    expect(agent).toMatchObject({ name: 'scout', mode: 'deep', parent: { loopId: session.loopId } })
    await session.shutdown()
    const again = agentRig({ loops: { main: {}, scout }, store, ids: countingIds(2) })
    const restored = await follow(again.rig, await again.rig.restoreSession(session.id))
    expect(agentIds(restored.session)).toEqual(agentIds(session))
  })

  it('share a name with a tool without harm', async () => {
    const { session } = await openAgents({
      loops: { main: { says: [starts('StartAgent'), { text: 'ok' }] }, StartAgent: { says: [{ text: 'me' }] } },
    })

    await session.submit('go').result()

    expect(answers(session.history())).toMatchObject([{ name: 'StartAgent', response: 'me' }])
  })

  it('are asked once by a middleware that tries the call again', async () => {
    const { session } = await openAgents({
      loops: {
        main: {
          says: [starts('scout'), { text: 'ok' }],
          middlewares: [
            async (_call, next) => {
              await next()
              return next()
            },
          ],
        },
        scout: { says: [{ text: 'once' }] },
      },
    })

    await session.submit('go').result()

    expect(agentIds(session)).toHaveLength(1)
    expect(answers(session.history())).toMatchObject([{ response: 'once' }])
  })
})
