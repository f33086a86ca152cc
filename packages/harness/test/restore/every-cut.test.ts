import type { Message, SessionId, ToolExecutionId } from '@looprig/core'
import type { AppendRequest, Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { beforeAll, describe, expect, it } from 'vitest'
import { countingIds, type FaultPlan, faultAt, faultyStore } from '../../src/testing.ts'
import { readRecords, type StoreKind, storeKinds } from '../journal/stores.ts'
import {
  eventsOf,
  expectClosed,
  expectWhole,
  nameOf,
  openStepOf,
  type ReadRecord,
  readBodies,
  resolvedInputs,
  stepsOf,
  transcriptOf,
} from './journal-invariants.ts'
import { driveRichSession, inputIdOf, questions, richRig, type World } from './rich-session.ts'

/** The appends of one whole session; every test cuts them somewhere. */
let groups: readonly AppendRequest[] = []
let sessionId: SessionId

beforeAll(async () => {
  const store = faultyStore(memoryStore(), () => undefined)
  const world: World = {
    effect: () => undefined,
    pause: () => new Promise((resolve) => setTimeout(resolve, 90)),
  }
  const session = await richRig({ store, world, ids: countingIds(1) }).newSession()
  await driveRichSession(session)
  await session.shutdown()
  groups = store.appends
  sessionId = session.id
})

/** Writes the first groups into an empty store, as their owner did before it was killed. */
async function cutAt(store: Store, cut: number): Promise<Store> {
  const lease = await store.leases.acquire(sessionId)
  for (const { records, head } of groups.slice(0, cut)) {
    const answer = await store.ledger.append({ session: sessionId, epoch: lease.epoch, records, head })
    expect(answer.outcome).toBe('ok')
  }
  await lease.release()
  return store
}

/** Restores and lets what was queued run; what waits for a person then is denied. */
async function restore(store: Store, seed: number, effects: ToolExecutionId[] = []) {
  const world: World = { effect: (executionId) => effects.push(executionId), pause: async () => undefined }
  const session = await richRig({ store, world, ids: countingIds(seed) }).restoreSession(sessionId)
  while ((await session.waitIdle({ orWaiting: true })) === 'waiting') {
    for (const gate of session.gates()) await session.answer(gate.gateId, { action: 'deny' })
  }
  return session
}

async function bodies(store: Store) {
  return readBodies(await readRecords(store, sessionId))
}

/** What came of one cut. */
interface Cut {
  readonly name: string
  /** The journal that the owner left, what one restore made of it, and what a second one did. */
  readonly before: readonly ReadRecord[]
  readonly after: readonly ReadRecord[]
  readonly again: readonly ReadRecord[]
  /** The appends of the first restore. */
  readonly appends: readonly AppendRequest[]
  readonly effects: readonly ToolExecutionId[]
  readonly history: readonly Message[]
  readonly historyAgain: readonly Message[]
  /** Of one more input. */
  readonly next: string
}

async function tryCut(kind: StoreKind, cut: number): Promise<Cut> {
  const store = faultyStore(await cutAt(kind.open(), cut), () => undefined)
  const effects: ToolExecutionId[] = []
  const before = await bodies(store)
  const first = await restore(store, 2, effects)
  const history = first.history()
  await first.shutdown()
  const [after, appends] = [await bodies(store), [...store.appends]]
  const second = await restore(store, 3)
  const historyAgain = second.history()
  const again = await bodies(store)
  const { status } = await second.submit('and now?').result()
  await second.shutdown()
  expectWhole(await bodies(store))
  await store.close()
  return { name: `cut ${cut}`, before, after, again, appends, effects, history, historyAgain, next: status }
}

function turnEnds(records: readonly ReadRecord[]): ReadonlyMap<string, string> {
  return new Map(records.filter(({ id }) => /^turn\/.*\/end$/.test(id)).map((record) => [record.id, nameOf(record)]))
}

describe('the session that is cut', () => {
  it('holds what a journal can hold', async () => {
    const records = await bodies(await cutAt(memoryStore(), groups.length))

    expectWhole(records)
    const types = new Set(records.map(nameOf))
    expect(types).toEqual(
      new Set([
        ...['SessionStarted', 'LoopStarted', 'SessionActive', 'SessionIdle', 'LoopIdle'],
        ...['TurnStarted', 'TurnFoldedInto', 'StepDone', 'TurnDone', 'TurnFailed', 'InputCancelled'],
        ...['PermissionRequested', 'PermissionDecided', 'GateResolved', 'input', 'step', 'run'],
      ]),
    )
    expect(records.filter(({ id }) => id.startsWith('run/') && id.endsWith('/end'))).toHaveLength(3)
  })
})

describe.each(storeKinds)('restoreSession at every cut, on $name', (kind) => {
  const cuts: Cut[] = []
  beforeAll(async () => {
    for (let cut = 1; cut <= groups.length; cut += 1) cuts.push(await tryCut(kind, cut))
  }, 60_000)

  it('adds to the journal, and leaves it whole', () => {
    for (const { name, before, after } of cuts) {
      expect(after.slice(0, before.length), name).toEqual(before)
      expectWhole(after)
    }
  })

  it('ends an open step by what is known of each call', () => {
    const open = cuts.flatMap(({ before, after }) => {
      const step = openStepOf(before)
      return step === undefined ? [] : [{ step, after }]
    })

    expect(open.length).toBeGreaterThan(8)
    for (const { step, after } of open) expectClosed(step, after)
  })

  it('goes on with an open turn that waits for people, under its own id', () => {
    const waiting = cuts.filter(({ before }) => openStepOf(before)?.goesOn === true)

    expect(waiting.length).toBeGreaterThan(1)
    for (const { name, before, after } of waiting) {
      const turnId = eventsOf(before, 'TurnStarted').at(-1)?.turnId
      expect(turnEnds(after).get(`turn/${turnId}/end`), name).toBe('TurnDone')
    }
  })

  it('ends any other open turn as interrupted, in one append with all that closes it', () => {
    for (const { name, before, after, appends } of cuts) {
      if (openStepOf(before)?.goesOn === true) continue
      const open = eventsOf(before, 'TurnStarted').filter(({ turnId }) => !turnEnds(before).has(`turn/${turnId}/end`))
      const ends = open.map(({ turnId }) => turnEnds(after).get(`turn/${turnId}/end`))

      expect(ends, name).toEqual(open.map(() => 'TurnInterrupted'))
      const repairs = appends.filter(({ records }) => records.some(({ body }) => body.includes('"TurnInterrupted"')))
      expect(repairs, name).toEqual(open.length > 0 ? appends.slice(0, 1) : [])
    }
  })

  it('runs no call whose start was in the journal, and none of a step that it closes', () => {
    for (const { name, before, effects } of cuts) {
      const open = openStepOf(before)
      const isUnspent = (executionId: string) => !before.some(({ id }) => id === `run/${executionId}`)
      const known = stepsOf(before).flatMap((step) =>
        step.calls.filter(
          ({ executionId }) => !(open?.goesOn && open.stepId === step.stepId && isUnspent(executionId)),
        ),
      )
      expect(
        known.filter((call) => effects.includes(call.executionId)),
        name,
      ).toEqual([])
    }
  })

  it('runs the inputs that had no turn, once and in order', () => {
    for (const { name, before, after } of cuts) {
      const has = (id: string) => before.some((record) => record.id === id)
      const ids = questions.map(inputIdOf).filter((id) => has(`in/${id}`) && !has(`in/${id}/end`))

      expect(resolvedInputs(after.slice(before.length)), name).toEqual(ids)
    }
  })

  it('appends nothing when it is done again', () => {
    for (const { name, after, again } of cuts) expect(again, name).toEqual(after)
  })

  it('tells the history that the events tell, and tells it again', () => {
    for (const { name, after, history, historyAgain } of cuts) {
      expect(history, name).toEqual(transcriptOf(after))
      expect(historyAgain, name).toEqual(history)
    }
  })

  it('leaves a transcript that a model takes', () => {
    for (const { name, next } of cuts) expect(next, name).toBe('done')
  })
})

describe('restoreSession that is killed', () => {
  const killed = () => {
    throw new Error('killed')
  }

  it.each<readonly [string, FaultPlan]>([
    ['before its first append', faultAt(1, { kind: 'hooked', before: killed })],
    ['after its first append', faultAt(1, { kind: 'hooked', after: killed })],
  ])('leads to the same journal as one that is not, %s', async (_, plan) => {
    for (let cut = 1; cut <= groups.length; cut += 1) {
      const direct = await cutAt(memoryStore(), cut)
      const broken = await cutAt(memoryStore(), cut)
      await (await restore(direct, 2)).shutdown()

      const outcome = await restore(faultyStore(broken, plan), 2).then((session) => session.shutdown(), Object)
      await (await restore(broken, 3)).shutdown()

      const told = async (store: Store) => (await bodies(store)).map(nameOf)
      expect(await told(broken), `cut ${cut}`).toEqual(await told(direct))
      expect([undefined, 'session_faulted']).toContain(outcome?.code)
    }
  })
})
