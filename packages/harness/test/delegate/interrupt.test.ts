import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { effectTool, streamingClient, textEvents, whenAborted } from '../session/open-session.ts'
import { agentIds, answers, calls, openAgents, starts } from './agent-session.ts'

/** A model that never answers. */
const silent = streamingClient(async function* (_n, signal) {
  await whenAborted(signal)
  yield* textEvents('too late')
})

const terminals = ['TurnInterrupted', 'TurnDone', 'TurnFailed'] as const

describe('an interrupt', () => {
  it('ends two agents that a parent waits for before the parent, and the session rests', async () => {
    const { session, recording, types } = await openAgents({
      loops: { main: { says: [starts('scout', {}, 2)] }, scout: { client: silent } },
    })
    const submission = session.submit('go')
    await recording.waitFor('TurnStarted', 3)

    expect(await session.interrupt()).toBe(true)

    expect(await submission.result()).toMatchObject({ status: 'interrupted' })
    expect(await types(...terminals)).toEqual([
      'scout:TurnInterrupted',
      'scout:TurnInterrupted',
      'main:TurnInterrupted',
    ])
    expect(answers(session.history())).toEqual(['agent interrupted', 'agent interrupted'])
    expect(await session.waitIdle()).toBe('idle')
  })

  it('of one input reaches what its turn started, also in the background', async () => {
    const { session, recording, types } = await openAgents({
      loops: {
        main: { says: [starts('scout', { wait_for_response: false }), starts('scout')], delegation: 'managed' },
        scout: { client: silent },
      },
    })
    const stop = new AbortController()
    const submission = session.submit('go', { signal: stop.signal })
    await recording.waitFor('TurnStarted', 3)

    stop.abort()

    expect(await submission.result()).toMatchObject({ status: 'interrupted' })
    expect((await types(...terminals)).at(-1)).toBe('main:TurnInterrupted')
    expect(await types(...terminals)).toHaveLength(3)
    expect(await session.waitIdle()).toBe('idle')
    expect(session.history().filter(({ role }) => role === 'user')).toHaveLength(1)
  })

  it('waits for an agent that takes longer to end than its parent would', async () => {
    const release = createDeferred<void>()
    const slow = effectTool('Slow', () => release.promise)
    const { session, recording, types } = await openAgents({
      loops: {
        main: { says: [starts('scout')], drainTimeoutMs: 1 },
        scout: { says: [calls('Slow', {})], tools: [slow], drainTimeoutMs: 60_000 },
      },
    })
    const submission = session.submit('go')
    await recording.waitFor('ToolCallStarted', 2)
    const interrupted = session.interrupt()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await types(...terminals)).toEqual([])

    release.resolve()

    await interrupted
    expect(await types(...terminals)).toEqual(['scout:TurnInterrupted', 'main:TurnInterrupted'])
    expect(answers(session.history())).toEqual(['agent interrupted'])
    expect(await submission.result()).toMatchObject({ status: 'interrupted' })
  })

  it('in the tick in which the agent ends keeps its answer', async () => {
    const { session, recording } = await openAgents({
      loops: { main: { says: [starts('scout'), { text: 'ok' }] }, scout: { says: [{ text: 'found' }] } },
    })
    const submission = session.submit('go')
    const [ended] = await Promise.all([
      recording.waitFor('TurnDone').then(() => session.interrupt()),
      submission.result(),
    ])

    expect(typeof ended).toBe('boolean')
    expect(answers(session.history())).toMatchObject([{ response: 'found' }])
  })

  it('while the tools of an agent are built starts nothing', async () => {
    const { defineTool, textResult } = await import('@looprig/tools')
    const { z } = await import('zod')
    const building = createDeferred<void>()
    const release = createDeferred<void>()
    const slow = defineTool({
      name: 'Slow',
      description: 'Slow to build.',
      pure: true,
      inputSchema: z.strictObject({}),
      setup: async () => {
        building.resolve()
        await release.promise
      },
      run: () => textResult('x'),
    })
    const { session } = await openAgents({
      loops: { main: { says: [starts('scout')] }, scout: { tools: [slow] } },
    })
    const submission = session.submit('go')
    await building.promise

    await session.interrupt()
    release.resolve()

    expect(await submission.result()).toMatchObject({ status: 'interrupted' })
    expect(agentIds(session)).toEqual([])
    expect(answers(session.history())).toEqual(['StartAgent failed: the turn of this call is being stopped'])
  })

  it('of an agent’s own agents goes all the way down, the deepest first', async () => {
    const { session, recording, types } = await openAgents({
      loops: {
        main: { says: [starts('mid')], delegates: ['mid'] },
        mid: { says: [starts('leaf')], delegates: ['leaf'] },
        leaf: { client: silent },
      },
    })
    session.submit('go')
    await recording.waitFor('TurnStarted', 3)

    await session.interrupt()

    expect(await types(...terminals)).toEqual(['leaf:TurnInterrupted', 'mid:TurnInterrupted', 'main:TurnInterrupted'])
  })
})

describe('the end of a session', () => {
  it('by stop ends agents, parent and queues, and hands nothing back', async () => {
    const { session, recording, types } = await openAgents({
      loops: {
        main: { says: [starts('scout', { wait_for_response: false }), { text: 'ok' }], delegation: 'managed' },
        scout: { client: silent },
      },
    })
    await session.submit('go').result()

    await session.stop()

    await recording.ended
    const all = recording.deliveries.map(({ event }) => event.type)
    expect(all.at(-1)).toBe('SessionStopped')
    expect(await types('TurnInterrupted')).toEqual(['scout:TurnInterrupted'])
    expect(recording.events('TurnStarted')).toHaveLength(2)
  })

  it('by a fault of the store stops agents and parent', async () => {
    const { faultFrom, faultyStore } = await import('../../src/testing.ts')
    const { memoryStore } = await import('@looprig/store/memory')
    const store = faultyStore(memoryStore(), faultFrom(4, { kind: 'refused' }))
    const { session, recording } = await openAgents({
      loops: { main: { says: [starts('scout'), { text: 'ok' }] }, scout: { says: [{ text: 'found' }] } },
      store,
    })
    const submission = session.submit('go')

    await expect(submission.result()).rejects.toMatchObject({ code: 'session_faulted' })
    await recording.ended
    expect(session.fault).toBeDefined()
    await session.shutdown()
    expect(await store.leases.isHeld(session.id)).toBe(false)
  })
})
