/** A store that breaks its contract: a session fails with a code, or works; it never hangs and never makes things up. */
import type { SessionId } from '@looprig/core'
import { isLooprigError } from '@looprig/core'
import { type AppendOutcome, type Ledger, type Store, StoreError } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { type Clock, interactiveGate, type Session } from '../../src/index.ts'
import { fakeClock } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'
import { rigOf } from '../rig/drift-rig.ts'
import { allowing, calling, delivered, effectTool, openSession } from '../session/open-session.ts'

/** The store with some of its ledger's answers changed. */
function lying(store: Store, lies: (ledger: Ledger) => Partial<Ledger>): Store {
  const { ledger } = store
  const honest: Ledger = {
    append: (request) => ledger.append(request),
    read: (request) => ledger.read(request),
    find: (session) => ledger.find(session),
    list: () => ledger.list(),
    now: () => ledger.now(),
    watch: (request) => ledger.watch(request),
  }
  return { ...store, ledger: { ...honest, ...lies(honest) } }
}

/** A parked session in an honest store. */
async function parked() {
  const store = memoryStore()
  const session = await rigOf(store).newSession()
  await session.submit('go').result()
  await session.shutdown()
  return { store, id: session.id }
}

async function expectRefused(attempt: Promise<unknown>): Promise<{ readonly code: string; readonly seq?: number }> {
  const failure = await attempt.then(() => 'nothing failed', Object)
  expect(isLooprigError(failure), String(failure)).toBe(true)
  return failure
}

describe('a store that lies about its tip', () => {
  it.each([1, 1_000])(
    'fails whoever reads to a tip that is %i too high, naming the record that is not there',
    async (more) => {
      const { store, id } = await parked()
      const high = lying(store, ({ find }) => ({
        find: async (session) => {
          const found = await find(session)
          return found && { ...found, tip: found.tip + more }
        },
      }))
      const tip = (await store.ledger.find(id))?.tip ?? 0

      for (const attempt of [
        rigOf(high).restoreSession(id),
        rigOf(high).inspect(id),
        rigOf(high).mailbox(id).submit('hi'),
      ]) {
        expect(await expectRefused(attempt)).toMatchObject({ code: 'journal_invalid', seq: tip + 1 })
      }
      expect((await store.ledger.find(id))?.tip).toBe(tip)
      expect(await store.leases.isHeld(id)).toBe(false)
      await (await rigOf(store).restoreSession(id)).shutdown()
    },
  )

  it('takes up what lies beyond a tip that is too low, or says that it cannot', async () => {
    const { store, id } = await parked()
    const tip = (await store.ledger.find(id))?.tip ?? 0
    for (let low = 0; low < tip; low += 1) {
      const behind = lying(store, ({ find }) => ({
        find: async (session) => {
          const found = await find(session)
          return found && { ...found, tip: low }
        },
      }))
      const restored: Session | Error = await rigOf(behind).restoreSession(id).catch(Object)
      if (restored instanceof Error) expect(isLooprigError(restored), String(restored)).toBe(true)
      else {
        const said = await restored.submit('and now?').result().catch(Object)
        if (said instanceof Error) expect(isLooprigError(said), String(said)).toBe(true)
        await restored.shutdown()
      }
      expect(await store.leases.isHeld(id)).toBe(false)
    }
  })

  it.each<readonly [string, (ledger: Ledger) => Ledger['read']]>([
    [
      'twice',
      ({ read }) =>
        async (request) => [...(await read(request)), ...(await read(request))],
    ],
    [
      'backwards',
      ({ read }) =>
        async (request) =>
          (await read(request)).toReversed(),
    ],
    [
      'from the start, whatever it is asked',
      ({ read }) =>
        (request) =>
          read({ ...request, after: 0 }),
    ],
    ['of nothing', () => async () => []],
  ])('refuses pages that it gives %s', async (_, read) => {
    const { store, id } = await parked()
    const paging = lying(store, (ledger) => ({
      read: read({ ...ledger, read: (request) => ledger.read({ ...request, limit: 3 }) }),
    }))

    expect(await expectRefused(rigOf(paging).restoreSession(id))).toMatchObject({ code: 'journal_invalid' })
    expect(await expectRefused(rigOf(paging).inspect(id))).toMatchObject({ code: 'journal_invalid' })
    expect(await store.leases.isHeld(id)).toBe(false)
  })
})

describe('a store whose watch tells nonsense', () => {
  const nonsense: readonly unknown[] = [Number.NaN, -1, 0, 1.5, Number.POSITIVE_INFINITY, 9e15, '7', null, undefined]

  it('wakes a session for nothing, and changes nothing', async () => {
    const store = lying(memoryStore(), () => ({
      watch: async function* () {
        for (const tip of nonsense) {
          yield tip as number
          await delivered()
        }
        await new Promise(() => undefined)
      },
    }))
    const { session } = await openSession({ store, responses: [{ text: 'Hello.' }] })
    for (const _ of nonsense) await delivered()

    expect(await session.submit('hi').result()).toMatchObject({ status: 'done', text: 'Hello.' })
    expect(session.fault).toBeUndefined()
  })

  it.each<readonly [string, () => AsyncIterable<number>]>([
    [
      'throws',
      // biome-ignore lint/correctness/useYield: it fails before its first tip
      async function* () {
        throw new StoreError('io', 'the watch broke')
      },
    ],
    ['ends', async function* () {}],
  ])('ends a session that would not hear other processes any more: a watch that %s', async (_, watch) => {
    const { session } = await openSession({ store: lying(memoryStore(), () => ({ watch })) })
    await delivered()

    expect(session.fault).toMatchObject({ code: 'session_faulted', reason: 'store_failed' })
  })
})

describe('a store whose time is of no use', () => {
  /** A call that waits for a person for a minute. */
  async function openTimed(now: (honest: number) => Promise<number>) {
    const clock = fakeClock()
    const memory = memoryStore({ clock: () => clock.now() })
    const store = lying(memory, (ledger) => ({ now: async () => now(await ledger.now()) }))
    const ran: string[] = []
    const opened = await openSession({
      ...{ store, clock },
      responses: [calling({ name: 'work' }), { text: 'ok' }],
      tools: [effectTool('work', (value) => void ran.push(value))],
      gate: interactiveGate({ access: [allowing('ask')], timeoutMs: 60_000 }),
    })
    const submission = opened.session.submit('go')
    await opened.session.waitIdle({ orWaiting: true })
    return { ...opened, clock, ran, submission }
  }

  it.each<readonly [string, (honest: number) => Promise<number>]>([
    ['stands still', async () => 1],
    ['goes back', async (honest) => 2e12 - honest],
    ['is no number', async () => Number.NaN],
    ['cannot be told', () => Promise.reject(new StoreError('io', 'no clock'))],
  ])('keeps a gate open and answerable when it %s', async (_, now) => {
    const { session, clock, ran, submission } = await openTimed(now)

    await clock.advance(120_000)
    const [open] = session.gates()
    if (open !== undefined) await session.answer(open.gateId, { action: 'approve' })

    expect((await submission.result()).status).toBe('done')
    expect(ran).toEqual(['x'])
  })

  it('asks it again and again no more than once a second', async () => {
    let asked = 0
    const { session, clock } = await openTimed(async () => {
      asked += 1
      throw new StoreError('io', 'no clock')
    })
    asked = 0
    await clock.advance(30_000)
    await session.shutdown()
    await clock.advance(30_000)

    expect(asked).toBeGreaterThan(1)
    expect(asked).toBeLessThan(40)
  })
})

describe('a store whose appends lie', () => {
  const wrong = (change: (answer: AppendOutcome) => AppendOutcome) => (ledger: Ledger, from: number) => {
    let appends = 0
    return {
      append: async (request: Parameters<Ledger['append']>[0]) => {
        const answer = await ledger.append(request)
        appends += 1
        return appends >= from ? change(answer) : answer
      },
    }
  }
  const records = (change: (seq: number) => number) => (answer: AppendOutcome) =>
    answer.outcome === 'ok'
      ? { ...answer, records: answer.records.map((record) => ({ ...record, seq: change(record.seq) })) }
      : answer

  it.each<readonly [string, (answer: AppendOutcome) => AppendOutcome]>([
    ['nothing was stored', () => ({ outcome: 'ok', records: [] })],
    [
      'less was stored',
      (answer) => (answer.outcome === 'ok' ? { ...answer, records: answer.records.slice(0, 1) } : answer),
    ],
    ['a slot was taken', () => ({ outcome: 'slot_taken', ids: [] })],
    ['another owner is there', () => ({ outcome: 'fenced' })],
    ['it came earlier', records((seq) => seq - 1)],
    ['it came at the start', records(() => 1)],
    ['it came later', records((seq) => seq + 10)],
    ['it came nowhere', records(() => Number.NaN)],
    ['it was no answer', () => ({ outcome: 'perhaps' }) as unknown as AppendOutcome],
    ['it was nothing', () => undefined as unknown as AppendOutcome],
  ])('fault the session at once, whatever they say: %s', async (_, change) => {
    for (const from of [2, 3, 4, 5]) {
      const memory = memoryStore()
      const ran: string[] = []
      const store = lying(memory, (ledger) => wrong(change)(ledger, from))
      const { session, recording } = await openSession({
        store,
        responses: [calling({ name: 'work' }), { text: 'ok' }],
        tools: [effectTool('work', (value) => void ran.push(value))],
      })

      const said = await session.submit('go').result().catch(Object)
      await session.shutdown()
      const delivered_ = recording.deliveries.flatMap(({ seq }) => (seq === null ? [] : [seq]))

      expect(said, String(said)).toMatchObject({ code: 'session_faulted' })
      expect(ran.length).toBeLessThan(2)
      // what is told grows, and nothing is told twice
      expect(delivered_).toEqual([...new Set(delivered_)].toSorted((a, b) => a - b))
      const stored = await readRecords(memory, session.id as SessionId)
      expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_record, index) => index + 1))
      expect(await memory.leases.isHeld(session.id)).toBe(false)
    }
  })
})

describe('a store that answers when it likes', () => {
  it('is waited for, in any order of calls, and each input has one outcome', async () => {
    const clock = fakeClock()
    let turn = 0
    const store = lying(memoryStore(), (ledger) => ({
      append: async (request) => {
        turn += 1
        for (let wait = (turn * 7) % 11; wait > 0; wait -= 1) await delivered()
        const answer = await ledger.append(request)
        for (let wait = (turn * 5) % 7; wait > 0; wait -= 1) await delivered()
        return answer
      },
    }))
    const { session } = await openSession({
      ...{ store, clock },
      responses: Array.from({ length: 12 }, (_, n) => ({ text: `answer ${n}` })),
    })
    const submissions = Array.from({ length: 8 }, (_, n) => session.submit(`say ${n}`, { noFold: n % 2 === 0 }))
    const cancelled = submissions[5] && session.cancel(submissions[5].inputId)
    const interrupted = session.interrupt()

    const results = await Promise.all(submissions.map((submission) => submission.result()))
    await Promise.all([cancelled, interrupted])
    await session.waitIdle()

    expect(results.map(({ status }) => status).filter((status) => status === 'cancelled')).toHaveLength(1)
    expect(results.every(({ status }) => ['done', 'interrupted', 'cancelled'].includes(status))).toBe(true)
    expect(session.fault).toBeUndefined()
  })
})

describe('a store that never says whether it wrote', () => {
  it('is given up after a while, also when the clock of the process stands still or is set back', async () => {
    for (const drift of [0, -1_000]) {
      let [time, tries] = [1_700_000_000_000, 0]
      const clock: Clock = {
        now: () => (time += drift),
        setTimer: (_, run) => {
          setImmediate(run)
          return () => undefined
        },
      }
      const store = lying(memoryStore(), ({ append }) => ({
        append: async (request) => {
          tries += 1
          return tries === 1 ? append(request) : { outcome: 'unknown', cause: new Error('lost') }
        },
      }))
      const { session } = await openSession({ store, clock })

      await expect(session.submit('hi').result()).rejects.toMatchObject({ reason: 'outcome_unknown' })
      expect(tries).toBeGreaterThan(5)
      expect(tries).toBeLessThan(30)
    }
  })
})
