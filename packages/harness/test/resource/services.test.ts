import type { LoopId, ToolExecutionId } from '@looprig/core'
import { textOf } from '@looprig/core'
import type { AppendRequest, Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import type { ProcessLifecycle, SessionResourceServices } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { defineHooks, InvalidEventError, type Session, SessionError } from '../../src/index.ts'
import { fakeClock, faultyStore } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'
import { calling, delivered } from '../session/open-session.ts'
import { type Counter, completed, countTool, type Made, pendingOf } from './counter.ts'
import { type ResourceSetup, resourceRig, watched } from './resource-rig.ts'

async function opened(setup: ResourceSetup = {}) {
  const rig = resourceRig(setup)
  const session = await rig.rig.newSession()
  const recording = watched(session)
  const [counter] = rig.made
  if (counter?.services === undefined) throw new TypeError('no counter')
  return { ...rig, session, recording, counter, services: counter.services }
}

const call = '00000000-0000-7000-8000-0000000000aa' as ToolExecutionId
const begun = (loopId: LoopId) => ({ loopId, processId: 'p_1', executionId: call, createdAt: 1, startedAt: 2 })
const id = (n: number) => `00000000-0000-7000-a000-${String(n).padStart(12, '0')}`

/** What people and the machine said, in order. */
function said(session: Session): readonly string[] {
  return session.history().flatMap(({ role, blocks }) => (role === 'user' ? [textOf(blocks)] : []))
}

describe('publish', () => {
  it('journals each step in the life of a process under the id that it was given', async () => {
    const { session, services, recording } = await opened()
    const life: readonly ProcessLifecycle[] = [
      { ...begun(session.loopId), eventId: id(1), kind: 'started', state: 'running' },
      { ...begun(session.loopId), eventId: id(2), kind: 'backgrounded', state: 'running' },
      { ...begun(session.loopId), eventId: id(3), kind: 'stop_requested', state: 'running', reason: 'terminated' },
      {
        ...begun(session.loopId),
        eventId: id(4),
        kind: 'completed',
        state: 'terminated',
        reason: 'runner_shutdown',
        finishedAt: 9,
      },
      {
        ...begun(session.loopId),
        eventId: id(5),
        kind: 'lost',
        state: 'lost_on_restore',
        reason: 'lost_on_restore',
        diagnostic: 'its owner is gone',
      },
    ]

    for (const step of life) await services.publish(step)
    await delivered()

    const scope = { loopId: session.loopId, processId: 'p_1', toolExecutionId: call, processCreatedAt: 1 }
    expect(recording.deliveries.map(({ event }) => event)).toMatchObject([
      { type: 'ProcessStarted', eventId: id(1), ...scope, processStartedAt: 2 },
      { type: 'ProcessBackgrounded', eventId: id(2), ...scope, processStartedAt: 2 },
      { type: 'ProcessStopRequested', eventId: id(3), ...scope, state: 'running', reason: 'terminated' },
      { type: 'ProcessCompleted', eventId: id(4), ...scope, state: 'terminated', reason: 'runner_shutdown' },
      { type: 'ProcessLost', eventId: id(5), ...scope, diagnostic: 'its owner is gone' },
    ])
  })

  it('changes and tells nothing when the same is told again, also after a restore', async () => {
    const { rig, store, made, session, services, recording } = await opened()
    await services.publish(completed(1, session.loopId))
    await Promise.all([services.publish(completed(1, session.loopId)), services.publish(completed(1, session.loopId))])
    await session.shutdown()
    const before = await readRecords(store, session.id)

    const again = await rig.restoreSession(session.id)
    watched(again)
    await made.at(-1)?.services?.publish(completed(1, session.loopId))

    expect(recording.events('ProcessCompleted')).toHaveLength(1)
    expect(await readRecords(store, session.id)).toEqual(before)
    expect(again.fault).toBeUndefined()
  })

  it('refuses another content under a known id, and the session goes on', async () => {
    const { session, services } = await opened({ responses: [{ text: 'fine' }] })
    await services.publish(completed(1, session.loopId))

    const other = services.publish({ ...completed(1, session.loopId), exitCode: 1 })

    await expect(other).rejects.toMatchObject({ code: 'event_invalid', field: 'eventId' })
    expect(await session.submit('go').result()).toMatchObject({ status: 'done', text: 'fine' })
  })

  const bad: readonly [string, Partial<Record<keyof ProcessLifecycle, unknown>>, string][] = [
    ['an id that is no UUID', { eventId: 'session' }, 'eventId'],
    ['a kind that nobody knows', { kind: 'toString' }, 'kind'],
    ['a process id that could be a path', { processId: '../x' }, 'processId'],
    ['a process id of 129 characters', { processId: 'p'.repeat(129) }, 'processId'],
    ['a start that still starts', { kind: 'started', state: 'starting' }, 'state'],
    [
      'a start that has ended',
      { kind: 'started', state: 'running', reason: undefined, exitCode: undefined },
      'processFinishedAt',
    ],
    ['an exit without a code', { exitCode: undefined }, 'exitCode'],
    ['a kill with an exit code', { state: 'killed', reason: 'killed' }, 'exitCode'],
    ['an exit for another reason', { reason: 'killed' }, 'reason'],
    ['an end without its time', { finishedAt: undefined }, 'processFinishedAt'],
    ['a time that is no whole number', { startedAt: 1.5 }, 'processStartedAt'],
    ['a diagnostic of an exit', { diagnostic: 'x' }, 'diagnostic'],
    [
      'a diagnostic of 513 bytes',
      { state: 'failed', reason: 'failed', exitCode: undefined, diagnostic: 'x'.repeat(513) },
      'diagnostic',
    ],
    ['a loop that is none', { loopId: 'main' }, 'loopId'],
    ['a lost process for another reason', { kind: 'lost', state: 'killed' }, 'state'],
  ]

  it.each(bad)('refuses %s', async (_, change, field) => {
    const { store, session, services } = await opened()
    const before = await readRecords(store, session.id)
    const told = { ...completed(1, session.loopId), ...change } as ProcessLifecycle

    const telling = services.publish(told)

    await expect(telling).rejects.toBeInstanceOf(InvalidEventError)
    await expect(telling).rejects.toMatchObject({ field })
    expect(await readRecords(store, session.id)).toEqual(before)
  })
})

describe('notify', () => {
  it('wakes a loop that rests, once, with an input that no person sent', async () => {
    const { store, session, services, recording } = await opened({ responses: [{ text: 'seen' }] })
    const { notice } = pendingOf(1, session.loopId)

    await Promise.all([services.notify(notice), services.notify(notice)])
    await services.notify(notice)
    await recording.waitFor('SessionIdle')

    expect(said(session)).toEqual(['process 1 has ended'])
    const records = await readRecords(store, session.id)
    const inputs = records.filter(({ kind }) => kind === 'input').map(({ body }) => JSON.parse(body))
    expect(inputs).toMatchObject([{ agency: 'machine', notice: true }])
    expect(recording.events('TurnStarted')).toHaveLength(1)
  })

  it('joins a turn that runs, at its next request', async () => {
    const responses = [calling({ id: 'c1', name: 'Count', input: {} }), { text: 'both' }]
    const made: Made = []
    const tool = countTool(made)
    const { session } = await openedWith(made, { responses, tools: [tool] })
    const [counter] = made
    const turn = session.submit('go')
    await turn.accepted
    await counter?.services?.notify(pendingOf(1, session.loopId).notice)

    expect(await turn.result()).toMatchObject({ status: 'done', text: 'both' })
    expect(said(session)).toEqual(['go', 'process 1 has ended'])
  })

  it.each([
    ['of a loop that is not there', { loopId: id(1) as LoopId }, 'loop_not_found'],
    ['without a text', { text: ' ' }, 'input_invalid'],
    ['of more than 64 Ki characters', { text: 'x'.repeat(65_537) }, 'input_invalid'],
    ['under an id that is no UUID', { inputId: 'x' as never }, 'input_invalid'],
  ])('refuses a notice %s', async (_, change, code) => {
    const { session, services } = await opened()

    const telling = services.notify({ ...pendingOf(1, session.loopId).notice, ...change })

    await expect(telling).rejects.toBeInstanceOf(SessionError)
    await expect(telling).rejects.toMatchObject({ code })
    expect(session.fault).toBeUndefined()
  })

  it('refuses another text under a known id, and the session goes on', async () => {
    const { session, services } = await opened({ responses: [{ text: 'one' }, { text: 'two' }] })
    const { notice } = pendingOf(1, session.loopId)
    await services.notify(notice)

    await expect(services.notify({ ...notice, text: 'other' })).rejects.toMatchObject({ code: 'input_conflict' })

    await session.waitIdle()
    expect(await session.submit('go').result()).toMatchObject({ status: 'done', text: 'two' })
  })

  it('gives the session no title', async () => {
    const { rig, session, services } = await opened({ responses: [{ text: 'one' }] })
    await services.notify(pendingOf(1, session.loopId).notice)
    await session.waitIdle()

    expect((await rig.inspect(session.id)).title).toBe('')
  })

  it('is judged by the guards of turns as any other input', async () => {
    const subjects: string[] = []
    const hooks = defineHooks({
      policyRevision: '1',
      guards: [{ operation: 'turn', check: ({ message }) => void subjects.push(textOf(message.blocks)) }],
    })
    const { session, services, recording } = await opened({ responses: [{ text: 'seen' }], rig: { hooks } })

    await services.notify(pendingOf(1, session.loopId).notice)
    await recording.waitFor('TurnDone')

    expect(subjects).toEqual(['process 1 has ended'])
  })
})

async function openedWith(made: Made, setup: ResourceSetup) {
  const rig = resourceRig(setup)
  const session = await rig.rig.newSession()
  return { ...rig, made, session, recording: watched(session) }
}

describe('a session whose resource works on', () => {
  it('is idle while a process runs', async () => {
    const { session, services } = await opened({ responses: [{ text: 'ok' }] })
    await session.submit('go').result()
    await services.publish({ ...begun(session.loopId), eventId: id(1), kind: 'backgrounded', state: 'running' })

    expect(await session.waitIdle()).toBe('idle')
  })

  it('takes inputs while a resource waits for its own', async () => {
    const hold = createDeferred<void>()
    const made: Made = []
    const tools = [countTool(made)]
    const { session } = await openedWith(made, { responses: [{ text: 'ok' }], tools })
    const waiting = hold.promise.then(() => made[0]?.services?.publish(completed(1, session.loopId)))

    expect(await session.submit('go').result()).toMatchObject({ status: 'done' })

    hold.resolve()
    await waiting
  })

  it('journals what a resource tells as it ends, before SessionStopped', async () => {
    const { store, session, counter, services, recording } = await opened({
      responses: [{ text: 'late', delayMs: 60_000 }],
    })
    tellAtEnd(counter, services, session.loopId)
    const turn = session.submit('go')
    await turn.accepted

    await session.stop()

    expect((await turn.result()).status).toBe('interrupted')
    const types = recording.deliveries.map(({ event }) => event.type).filter((type) => type !== 'InputQueued')
    expect(types.slice(-3)).toEqual(['ProcessCompleted', 'InputCancelled', 'SessionStopped'])
    const records = await readRecords(store, session.id)
    expect(records.at(-1)?.id).toBe('session/end')
  })

  it('keeps for the next owner what a resource says as it is parked', async () => {
    const { rig, session, counter, services, made } = await opened({ responses: [{ text: 'seen' }] })
    tellAtEnd(counter, services, session.loopId)

    await session.shutdown()
    expect(await rig.due()).toEqual([session.id])
    const again = await rig.restoreSession(session.id)
    const recording = watched(again)
    await again.waitIdle()

    expect(said(again)).toEqual(['process 1 has ended'])
    expect(made).toHaveLength(2)
    expect(recording.events('TurnDone').length).toBeLessThanOrEqual(1)
  })

  it('is closed for a resource that goes on after its end', async () => {
    const { session, services } = await opened()
    await session.shutdown()

    await expect(services.publish(completed(1, session.loopId))).rejects.toMatchObject({ code: 'session_closed' })
    await expect(services.notify(pendingOf(1, session.loopId).notice)).rejects.toMatchObject({ code: 'session_closed' })
  })

  it('faults with its journal, and tells the resource so', async () => {
    const store = faultyStore(memoryStore(), (_, { records }) =>
      records.some(({ body }) => body.includes('ProcessCompleted')) ? { kind: 'refused' } : undefined,
    )
    const { session, services } = await opened({ store })

    await expect(services.publish(completed(1, session.loopId))).rejects.toMatchObject({ code: 'session_faulted' })
    expect(session.fault).toBeDefined()
  })
})

function tellAtEnd(counter: Counter, services: SessionResourceServices, loopId: LoopId): void {
  counter.hooks.shutdown = async () => {
    const { event, notice } = pendingOf(1, loopId)
    await services.publish(event)
    await services.notify(notice)
  }
}

describe('a store that is in doubt', () => {
  it.each([true, false])('makes what a resource tells durable once (it was written: %s)', async (written) => {
    let doubts = 1
    const store = faultyStore(memoryStore(), (_, { records }) => {
      const isMeant = records.some(({ body }) => body.includes('ProcessCompleted') || body.includes('has ended'))
      return isMeant && doubts++ % 2 === 1 ? { kind: 'unknown', written } : undefined
    })
    const { session, services, recording } = await opened({ store, responses: [{ text: 'seen' }] })
    const { event, notice } = pendingOf(1, session.loopId)

    await services.publish(event)
    await services.notify(notice)
    await recording.waitFor('SessionIdle')

    expect(recording.events('ProcessCompleted')).toHaveLength(1)
    expect(said(session)).toEqual([notice.text])
    expect(session.fault).toBeUndefined()
  })

  it('that says of a new record that it was there before faults the session', async () => {
    const inner = memoryStore()
    const isNew = (request: AppendRequest) => request.records.some(({ body }) => body.includes('ProcessCompleted'))
    const store: Store = {
      ...inner,
      leases: inner.leases,
      close: () => inner.close(),
      ledger: {
        append: async (request) => {
          if (!isNew(request)) return inner.ledger.append(request)
          return { outcome: 'ok', records: request.records.map((record) => ({ ...record, seq: 1, at: 0 })) }
        },
        read: (request) => inner.ledger.read(request),
        find: (session) => inner.ledger.find(session),
        list: () => inner.ledger.list(),
        now: () => inner.ledger.now(),
        watch: (request) => inner.ledger.watch(request),
      },
    }
    const { session, services } = await opened({ store })

    await expect(services.publish(completed(1, session.loopId))).rejects.toMatchObject({ code: 'session_faulted' })
    expect(session.fault).toBeDefined()
  })
})

describe('a resource that outlives the time that it has to end', () => {
  it('writes nothing behind SessionStopped', async () => {
    const clock = fakeClock()
    const { store, session, counter, services } = await opened({ clock })
    counter.hooks.shutdown = () => new Promise(() => undefined)

    const stopping = session.stop()
    await clock.whenPending()
    await clock.advance(30_000)
    await stopping

    await expect(services.publish(completed(1, session.loopId))).rejects.toMatchObject({ code: 'session_closed' })
    expect((await readRecords(store, session.id)).at(-1)?.id).toBe('session/end')
  })
})
