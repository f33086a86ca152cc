import type { Message, SessionId, ToolExecutionId } from '@looprig/core'
import type { AppendRequest, Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Session } from '../../src/index.ts'
import { type AppendFault, countingIds, type FaultPlan, faultyStore } from '../../src/testing.ts'
import { readRecords, type StoreKind, storeKinds } from '../journal/stores.ts'
import { expectAgentsWhole, expectHandedBack } from './agent-journal.ts'
import {
  eventsOf,
  expectWhole,
  nameOf,
  ofLoop,
  type ReadRecord,
  readBodies,
  resolvedInputs,
  stepsOf,
  transcriptOf,
} from './journal-invariants.ts'
import { expectEnded, openTurnsOf } from './open-turns.ts'
import { driveRichSession, richRig } from './rich-session.ts'
import type { World } from './rich-tools.ts'

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
  try {
    while ((await session.waitIdle({ orWaiting: true })) === 'waiting') {
      for (const gate of session.gates()) await session.answer(gate.gateId, { action: 'deny' })
    }
    return session
  } catch (fault) {
    // the next owner may come when this one is gone
    await session.shutdown()
    throw fault
  }
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
  /** Of every loop. */
  readonly histories: readonly (readonly Message[])[]
  readonly historiesAgain: readonly (readonly Message[])[]
  /** Of one more input. */
  readonly next: string
}

async function tryCut(kind: StoreKind, cut: number): Promise<Cut> {
  const store = faultyStore(await cutAt(kind.open(), cut), () => undefined)
  const effects: ToolExecutionId[] = []
  const before = await bodies(store)
  const first = await restore(store, 2, effects)
  const histories = historiesOf(first)
  await first.shutdown()
  const [after, appends] = [await bodies(store), [...store.appends]]
  const second = await restore(store, 3)
  const historiesAgain = historiesOf(second)
  const again = await bodies(store)
  const { status } = await second.submit('and now?').result()
  await second.shutdown()
  expectWhole(await bodies(store))
  await store.close()
  return { name: `cut ${cut}`, before, after, again, appends, effects, histories, historiesAgain, next: status }
}

function historiesOf(session: Session): readonly (readonly Message[])[] {
  return session.loops.map(({ loopId }) => session.history(loopId))
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
        ...['PermissionRequested', 'PermissionDecided', 'GateResolved', 'CompactionCommitted', 'input', 'step', 'run'],
      ]),
    )
    expectAgentsWhole(records)
    expect(records.filter(({ id }) => id.startsWith('run/') && id.endsWith('/end'))).toHaveLength(4)
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
      expectHandedBack(before)
      expectWhole(after)
      expectAgentsWhole(after)
    }
  })

  it('ends every open turn by what is known of each call', () => {
    const open = cuts.flatMap(({ before, after }) => openTurnsOf(before).map((turn) => ({ turn, after })))

    expect(open.filter(({ turn }) => turn.step !== undefined).length).toBeGreaterThan(20)
    for (const { turn, after } of open) expectEnded(turn, after)
  })

  it('goes on with open turns that wait for people, also with those that wait for agents at gates', () => {
    const going = cuts.flatMap(({ before }) => {
      const main = eventsOf(before, 'LoopStarted')[0]?.loopId
      return openTurnsOf(before).flatMap(({ goesOn, loopId }) => (goesOn ? [loopId === main ? 'main' : 'agent'] : []))
    })

    const ofAgents = going.filter((whose) => whose === 'agent').length
    expect(ofAgents).toBeGreaterThan(0)
    expect(going.length).toBeGreaterThan(2 * ofAgents)
  })

  it('closes all other open turns in one append', () => {
    for (const { name, before, appends } of cuts) {
      const closed = openTurnsOf(before).filter(({ goesOn }) => !goesOn)
      const interrupted = appends.map(
        ({ records }) => records.filter(({ body }) => body.includes('"TurnInterrupted"')).length,
      )

      expect(
        interrupted.filter((count) => count > 0),
        name,
      ).toEqual(closed.length > 0 ? [closed.length] : [])
      expect(interrupted[0] ?? 0, name).toBe(closed.length)
    }
  })

  it('runs no call whose start was in the journal, and none of a step that it closes', () => {
    for (const { name, before, effects } of cuts) {
      const going = new Set(openTurnsOf(before).flatMap(({ goesOn, step }) => (goesOn && step ? [step.stepId] : [])))
      const isStarted = (executionId: string) => before.some(({ id }) => id === `run/${executionId}`)
      const known = stepsOf(before).flatMap(({ stepId, calls }) =>
        calls.filter(({ executionId }) => !going.has(stepId) || isStarted(executionId)),
      )
      expect(
        known.filter((call) => effects.includes(call.executionId)),
        name,
      ).toEqual([])
    }
  })

  it('runs the inputs that had no turn, once and in order', () => {
    for (const { name, before, after } of cuts) {
      const had = new Set(before.map(({ id }) => id))
      for (const { loopId } of eventsOf(after, 'LoopStarted')) {
        const own = ofLoop(after, loopId)
        const inputs = own.filter(({ kind }) => kind === 'input').map(({ id }) => id)
        const waiting = inputs.filter((id) => !had.has(`${id}/end`)).map((id) => id.slice('in/'.length))

        expect(resolvedInputs(own.filter(({ id }) => !had.has(id))), name).toEqual(waiting)
      }
    }
  })

  it('appends nothing when it is done again', () => {
    for (const { name, after, again } of cuts) expect(again, name).toEqual(after)
  })

  it('tells the history that the events tell, and tells it again', () => {
    for (const { name, after, histories, historiesAgain } of cuts) {
      const told = eventsOf(after, 'LoopStarted').map(({ loopId }) => transcriptOf(ofLoop(after, loopId)))
      expect(histories, name).toEqual(told)
      expect(historiesAgain, name).toEqual(histories)
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

  /** The append with which a restore closes what was left open; else the one that says when the session has work. */
  const isRepair = ({ records }: AppendRequest) =>
    records.length === 0 || records.some(({ body }) => body.includes('"TurnInterrupted"'))

  it.each<readonly [string, AppendFault]>([
    ['before its append', { kind: 'hooked', before: killed }],
    ['after its append', { kind: 'hooked', after: killed }],
  ])('leads to the same journal as one that is not, %s', async (_, fault) => {
    let kills = 0
    for (let cut = 1; cut <= groups.length; cut += 1) {
      const direct = await cutAt(memoryStore(), cut)
      const broken = await cutAt(memoryStore(), cut)
      await (await restore(direct, 2)).shutdown()

      const plan: FaultPlan = (number, request) => (number === 1 && isRepair(request) ? fault : undefined)
      const outcome = await restore(faultyStore(broken, plan), 2).then((session) => session.shutdown(), Object)
      await (await restore(broken, 3)).shutdown()

      const told = async (store: Store) => (await bodies(store)).map(nameOf)
      expect(await told(broken), `cut ${cut}`).toEqual(await told(direct))
      expect([undefined, 'session_faulted']).toContain(outcome?.code)
      if (outcome !== undefined) kills += 1
    }
    expect(kills).toBeGreaterThan(20)
  })
})
