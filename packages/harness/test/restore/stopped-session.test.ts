import type { SessionId } from '@looprig/core'
import type { AppendRequest, Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/index.ts'
import { countingIds, faultyStore, recordSession } from '../../src/testing.ts'
import { readRecords, storeKinds } from '../journal/stores.ts'
import { eventsOf, expectWhole, nameOf, readBodies } from './journal-invariants.ts'
import { expectEnded, openTurnsOf } from './open-turns.ts'
import { askQuestion, inputIdOf, richRig } from './rich-session.ts'
import type { World } from './rich-tools.ts'

const world: World = {
  effect: () => undefined,
  pause: () => new Promise((resolve) => setTimeout(resolve, 90)),
}

const queued: readonly string[] = ['next', 'fails', 'behind']

/** Asks something that leads to gates, and three things that wait behind it. */
async function askMuch(session: Session) {
  const recording = recordSession(session)
  const ask = (question: string) => askQuestion(session, question)
  await ask('plain').result()
  const submissions = [ask('work'), ...queued.map(ask)]
  await Promise.all(submissions.map((submission) => submission.accepted))
  return { recording, submissions }
}

/** When a stop comes: while effects run, or while people are asked. */
const moments = ['ToolCallStarted', 'PermissionRequested'] as const

/** The appends of a session that is stopped at a moment. */
async function stopAt(moment: (typeof moments)[number]) {
  const store = faultyStore(memoryStore(), () => undefined)
  const session = await richRig({ store, world, ids: countingIds(1) }).newSession()
  const { recording, submissions } = await askMuch(session)
  await recording.waitFor(moment, moment === 'ToolCallStarted' ? 3 : 1)
  if (moment === 'PermissionRequested') await session.cancel(inputIdOf('fails'))
  await session.stop()
  const results = await Promise.all(submissions.map((submission) => submission.result()))
  return { sessionId: session.id, groups: store.appends, statuses: results.map(({ status }) => status) }
}

/** Writes groups into an empty store, as their owner did before it was killed. */
async function write(store: Store, sessionId: SessionId, groups: readonly AppendRequest[]): Promise<Store> {
  const lease = await store.leases.acquire(sessionId)
  for (const { records, head } of groups) {
    await store.ledger.append({ session: sessionId, epoch: lease.epoch, records, head })
  }
  await lease.release()
  return store
}

async function bodies(store: Store, sessionId: SessionId) {
  return readBodies(await readRecords(store, sessionId))
}

describe.each(storeKinds)('restoreSession of a stopped session on $name', (kind) => {
  it.each(moments)('is refused, and changes nothing: stopped at %s', async (moment) => {
    const { sessionId, groups, statuses } = await stopAt(moment)
    const store = await write(kind.open(), sessionId, groups)
    const before = await bodies(store, sessionId)

    for (const seed of [2, 3]) {
      const restoring = richRig({ store, world, ids: countingIds(seed) }).restoreSession(sessionId)
      await expect(restoring).rejects.toMatchObject({ name: 'SessionError', code: 'session_stopped' })
      expect(await store.leases.isHeld(sessionId)).toBe(false)
    }

    expect(await bodies(store, sessionId)).toEqual(before)
    expect(before.map(nameOf).at(-1)).toBe('SessionStopped')
    expect(statuses).toEqual(['interrupted', 'cancelled', 'cancelled', 'cancelled'])
    expectWhole(before)
  })

  it.each(moments)(
    'is possible at every cut before the end: stopped at %s',
    async (moment) => {
      const { sessionId, groups } = await stopAt(moment)
      for (let cut = 1; cut < groups.length; cut += 1) {
        const store = await write(kind.open(), sessionId, groups.slice(0, cut))
        const before = await bodies(store, sessionId)

        const session = await richRig({ store, world, ids: countingIds(2) }).restoreSession(sessionId)
        while ((await session.waitIdle({ orWaiting: true })) === 'waiting') {
          for (const gate of session.gates()) await session.answer(gate.gateId, { action: 'deny' })
        }
        await session.shutdown()

        const after = await bodies(store, sessionId)
        for (const turn of openTurnsOf(before)) expectEnded(turn, after)
        expectWhole(after)
        expect(after.map(nameOf), `cut ${cut}`).not.toContain('SessionStopped')
      }
    },
    30_000,
  )

  it.each(moments)(
    'may be stopped at once after every cut: stopped at %s',
    async (moment) => {
      const { sessionId, groups } = await stopAt(moment)
      for (let cut = 1; cut < groups.length; cut += 1) {
        const store = await write(kind.open(), sessionId, groups.slice(0, cut))

        const session = await richRig({ store, world, ids: countingIds(2) }).restoreSession(sessionId)
        await session.stop()

        const after = await bodies(store, sessionId)
        expectWhole(after)
        expect(after.map(nameOf).at(-1), `cut ${cut}`).toBe('SessionStopped')
      }
    },
    30_000,
  )
})

describe('a stop whose process is killed', () => {
  const killed = () => {
    throw new Error('killed')
  }

  it('before its append leaves a session that a restore takes on, queue and all', async () => {
    const plain = memoryStore()
    const { session, failed } = await stopKilled(plain, { before: killed })

    const restored = await richRig({ store: plain, world, ids: countingIds(2) }).restoreSession(session.id)
    while ((await restored.waitIdle({ orWaiting: true })) === 'waiting') {
      for (const gate of restored.gates()) await restored.answer(gate.gateId, { action: 'deny' })
    }
    await restored.shutdown()

    expect(failed).toMatchObject({ code: 'session_faulted' })
    const records = await bodies(plain, session.id)
    expectWhole(records)
    const started = eventsOf(records, 'TurnStarted').map(({ inputId }) => inputId)
    expect(started).toEqual(['plain', 'work', 'next', 'fails'].map(inputIdOf))
  })

  it('after its append leaves a stopped session', async () => {
    const plain = memoryStore()
    const { session, failed } = await stopKilled(plain, { after: killed })

    const restoring = richRig({ store: plain, world, ids: countingIds(2) }).restoreSession(session.id)

    expect(failed).toMatchObject({ code: 'session_faulted' })
    await expect(restoring).rejects.toMatchObject({ code: 'session_stopped' })
    expectWhole(await bodies(plain, session.id))
  })

  /** Stops a session that waits for people; the append of the stop is killed. */
  async function stopKilled(plain: Store, hook: { readonly before?: () => void; readonly after?: () => void }) {
    const store = faultyStore(plain, (_number, { records }) =>
      records.some(({ id }) => id === 'session/end') ? { kind: 'hooked', ...hook } : undefined,
    )
    const session = await richRig({ store, world, ids: countingIds(1) }).newSession()
    const { recording, submissions } = await askMuch(session)
    await recording.waitFor('PermissionRequested')
    const failed = await session.stop().catch((error: unknown) => error)
    await Promise.allSettled(submissions.map((submission) => submission.result()))
    return { session, failed }
  }
})

describe('restoreSession of a stopped session', () => {
  it('says so before it looks at anything else', async () => {
    const { sessionId, groups } = await stopAt('ToolCallStarted')
    const store = await write(memoryStore(), sessionId, groups)
    const rig = richRig({ store, world, ids: countingIds(2), root: 'nowhere/at/all' })

    await expect(rig.restoreSession(sessionId)).rejects.toMatchObject({ code: 'session_stopped' })
  })

  it('is not listed as one to go on with', async () => {
    const { sessionId, groups } = await stopAt('PermissionRequested')
    const store = await write(memoryStore(), sessionId, groups)

    const sessions = await richRig({ store, world }).sessions()

    expect(sessions).toMatchObject([{ id: sessionId, status: 'stopped' }])
  })
})
