import type { GateId, SessionId } from '@looprig/core'
import type { Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Session } from '../../src/index.ts'
import { openSqlite, readRecords, tempFolder } from '../journal/stores.ts'
import { otherId } from '../queue/other-process.ts'
import { eventsOf, expectWhole, readBodies, resolvedInputs } from '../restore/journal-invariants.ts'
import { delivered, resultTexts } from '../session/open-session.ts'
import { acts, durableRig } from './durable-rig.ts'
import { bundleOwner, type OwnerChild, startOwner } from './owner-child.ts'
import type { Told } from './owner-plan.ts'
import { seededChoices } from './seeded-choices.ts'

let script = ''
beforeAll(async () => {
  script = await bundleOwner(tempFolder())
})

const folder = tempFolder()

/** Waits so many microtasks, or turns of the event loop. */
async function wait(count: number, turn: () => Promise<void>): Promise<void> {
  for (let waited = 0; waited < count; waited += 1) await turn()
}

/** Two stores on the same data, the owner's first, and how time passes between what happens on them. */
interface Stores {
  readonly store: Store
  readonly elsewhere: Store
  turn(): Promise<void>
}

/** One race between an approval and an interrupt; gives what the one step says of its one call. */
async function raceAtGate(seed: number, { store, elsewhere, turn }: Stores): Promise<string> {
  const choose = seededChoices(seed)
  let effects = 0
  const world = {
    folder,
    act: () => {
      effects += 1
    },
  }
  const session = await durableRig(store, world, {
    says: [acts(['ask'], choose(['Act', 'SafeAct'])), { text: 'ok' }],
  }).newSession()
  const submission = session.submit('go')
  await session.waitIdle({ orWaiting: true })
  const gateId = session.gates()[0]?.gateId as GateId
  const answering = choose([session, durableRig(elsewhere, world).mailbox(session.id)])
  const answered = () => wait(choose([0, 0, 1, 2, 3]), turn).then(() => answering.answer(gateId, { action: 'approve' }))
  const interrupted = () =>
    wait(choose([0, 0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 200, 500]), turn).then(() => session.interrupt())

  await Promise.allSettled(choose([true, false]) ? [answered(), interrupted()] : [interrupted(), answered()])
  const { status } = await submission.result()
  await session.waitIdle()
  const records = readBodies(await readRecords(store, session.id))
  const [told = '', ...more] = resultTexts(session.history())
  await session.shutdown()

  expect(more, `seed ${seed}`).toEqual([])
  expect(eventsOf(records, 'GateResolved'), `seed ${seed}`).toHaveLength(1)
  expect(eventsOf(records, 'TurnDone').length + eventsOf(records, 'TurnInterrupted').length, `seed ${seed}`).toBe(1)
  expectWhole(records)
  // what the step says is what happened
  expect(told, `seed ${seed}`).toMatch(effects > 0 ? /^(acted on ask|outcome_unknown)/ : /^not_executed/)
  expect(effects, `seed ${seed}`).toBeLessThan(2)
  return `${status} ${told.slice(0, 12)}`
}

describe('an interrupt and an approval in one tick', () => {
  it('leave one resolution, one end, and a step that says whether the call ran, for 900 seeds (18)', async () => {
    const outcomes = new Set<string>()
    for (let seed = 1; seed <= 900; seed += 1) {
      const store = memoryStore()
      outcomes.add(await raceAtGate(seed, { store, elsewhere: store, turn: () => Promise.resolve() }))
    }

    expect(outcomes).toContain('done acted on ask')
    expect(outcomes).toContain('interrupted not_executed')
    expect(outcomes).toContain('interrupted acted on ask')
  })

  it('do so for 100 seeds when the approval may come by another connection to a file (18)', async () => {
    const file = tempFolder()
    const [store, elsewhere] = [openSqlite(file), openSqlite(file)]
    const outcomes = new Set<string>()
    for (let seed = 901; seed <= 1_000; seed += 1) {
      outcomes.add(await raceAtGate(seed, { store, elsewhere, turn: delivered }))
    }

    expect(outcomes).toContain('done acted on ask')
    expect(outcomes).toContain('interrupted not_executed')
  })
})

describe('a cancel in one process while the owner in another folds', () => {
  it('is cancelled or folded, never both, and the text reaches the model only when folded (23)', async () => {
    const [sessions, races] = [8, 25]
    const file = tempFolder()
    const says = Array.from({ length: sessions * races }, (_, n) => [
      acts([`${n}`], 'Act', true),
      { text: 'so' },
    ]).flat()
    const owner = startOwner(script, file, { says })
    const store = openSqlite(file)
    const outcomes = { cancelled: 0, done: 0 }

    for (let n = 0; n < sessions; n += 1) {
      const id = await owner.newSession()
      for (let race = 0; race < races; race += 1) outcomes[await raceAtFold(n * races + race, owner, store, id)] += 1
      owner.say({ do: 'shutdown' })
      expectWhole(readBodies(await readRecords(store, id)))
    }

    expect(outcomes.cancelled + outcomes.done).toBe(sessions * races)
    expect(outcomes.cancelled).toBeGreaterThan(10)
    expect(outcomes.done).toBeGreaterThan(10)
  })

  async function raceAtFold(n: number, owner: OwnerChild, store: Store, id: SessionId): Promise<'cancelled' | 'done'> {
    const choose = seededChoices(n)
    const inputId = otherId()
    const sentinel = `sentinel ${n}`
    owner.say({ do: 'submit', text: `first ${n}` })
    await owner.untilEvent('ToolCallStarted')
    owner.say({ do: 'submit', text: sentinel, inputId })
    await owner.untilEvent('InputQueued')
    const end = () => wait(choose([0, 0, 0, 1, 2, 4]), delivered).then(() => owner.say({ do: 'end', value: `${n}` }))
    const cancel = () => durableRig(store, { folder: file() }).mailbox(id).cancel(inputId)

    const [isCancelled] = await Promise.all(
      choose([true, false]) ? [cancel(), end()] : [wait(choose([0, 1, 2, 4, 8]), delivered).then(cancel), end()],
    )

    const told = await owner.collect((lines) => {
      return (
        lines.some(({ event }) => event?.type === 'SessionIdle') &&
        lines.some(({ result }) => result?.inputId === inputId)
      )
    })
    const status = told.find(({ result }) => result?.inputId === inputId)?.result?.status
    const asked = told.flatMap(({ asked: said }) => said ?? [])
    const resolved = resolvedInputs(readBodies(await readRecords(store, id))).filter(
      (resolvedId) => resolvedId === inputId,
    )
    expect(resolved, sentinel).toHaveLength(1)
    expect(status, sentinel).toBe(isCancelled ? 'cancelled' : 'done')
    expect(asked.includes(sentinel), sentinel).toBe(!isCancelled)
    return isCancelled ? 'cancelled' : 'done'
  }

  const file = () => folder
})

describe('two processes that restore the same sessions at once', () => {
  it('have one owner each time, and the other is told lease_held, 1,000 times (28)', async () => {
    const [count, rounds, batch] = [100, 10, 50]
    const file = tempFolder()
    const store = openSqlite(file)
    const rig = durableRig(store, { folder: file })
    const ids: SessionId[] = []
    for (let n = 0; n < count; n += 1) {
      const session = await rig.newSession()
      await session.submit('first').result()
      await session.shutdown()
      ids.push(session.id)
    }
    const other = startOwner(script, file, {})
    const wins = { here: 0, there: 0 }

    for (let round = 0; round < rounds; round += 1) {
      for (let from = 0; from < count; from += batch) {
        const some = ids.slice(from, from + batch)
        for (const id of some) other.say({ do: 'restore', id })
        const here = await Promise.all(some.map((id) => rig.restoreSession(id).catch(codeOf)))
        const there = await outcomesOf(other, some)
        for (const [index, id] of some.entries()) {
          const owned = here[index]
          const isHere = typeof owned === 'object'
          expect([isHere ? 'owner' : owned, there.get(id)].toSorted()).toEqual(['lease_held', 'owner'])
          wins[isHere ? 'here' : 'there'] += 1
        }
        await Promise.all([
          endHere(here),
          endThere(
            other,
            some.filter((_, index) => typeof here[index] !== 'object'),
          ),
        ])
      }
    }

    expect(wins.here + wins.there).toBe(count * rounds)
    expect(Math.min(wins.here, wins.there)).toBeGreaterThan(10)
    for (const id of ids) {
      const records = readBodies(await readRecords(store, id))
      expectWhole(records)
      expect(eventsOf(records, 'TurnStarted')).toHaveLength(1 + rounds)
    }
  }, 60_000)

  const codeOf = (error: { readonly code: string }) => error.code

  async function outcomesOf(other: OwnerChild, ids: readonly SessionId[]): Promise<ReadonlyMap<SessionId, string>> {
    const told = await other.collect((lines) => lines.filter(isOutcome).length === ids.length)
    return new Map(
      told.flatMap(({ session, refused }) => {
        if (session !== undefined) return [[session, 'owner'] as const]
        return refused === undefined ? [] : [[refused.id, refused.code] as const]
      }),
    )
  }

  const isOutcome = ({ session, refused }: Told) => session !== undefined || refused !== undefined

  /** Each owner writes a turn, and is gone. */
  async function endHere(owned: readonly (Session | string)[]): Promise<void> {
    const sessions = owned.filter((session) => typeof session !== 'string')
    await Promise.all(sessions.map((session) => session.submit('again').result()))
    await Promise.all(sessions.map((session) => session.shutdown()))
  }

  async function endThere(other: OwnerChild, ids: readonly SessionId[]): Promise<void> {
    for (const id of ids) other.say({ do: 'submit', text: 'again', id })
    await other.collect((lines) => lines.filter(({ result }) => result !== undefined).length === ids.length)
    for (const id of ids) other.say({ do: 'shutdown', id })
    await other.collect((lines) => lines.filter(({ ended }) => ended !== undefined).length === ids.length)
  }
})
