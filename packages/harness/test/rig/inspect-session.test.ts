import type { SessionId } from '@looprig/core'
import { textOf } from '@looprig/core'
import type { ScriptedResponse } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import { newRecord } from '@looprig/store/testing'
import { describe, expect, it } from 'vitest'
import { inspectSession, type Session } from '../../src/index.ts'
import { faultyStore, recordSession } from '../../src/testing.ts'
import { aborted, act, actTool, smallRig } from '../journal/small-rig.ts'
import { openSqlite, readRecords, storeKinds, tempFolder } from '../journal/stores.ts'
import { ofLoop, readBodies, transcriptOf } from '../restore/journal-invariants.ts'
import { driveRichSession, richRig } from '../restore/rich-session.ts'

const text: ScriptedResponse = { text: 'Hi.' }
const twoActs: ScriptedResponse = { toolCalls: ['a1', 'a2'].map((id) => ({ id, name: 'Act', input: {} })) }
const twoAsked = { responses: [twoActs], tools: [actTool(() => undefined)], says: 'ask' } as const

/** A session whose first turn runs a call until it is stopped. */
async function busySession(store: Store): Promise<Session> {
  const session = await smallRig(store, { responses: [act], tools: [actTool(aborted)] }).newSession()
  const recording = recordSession(session)
  session.submit('go')
  await recording.waitFor('ToolCallStarted')
  return session
}

/** A session whose turn waits at two gates. */
async function waitingSession(store: Store): Promise<Session> {
  const session = await smallRig(store, twoAsked).newSession()
  session.submit('go')
  await session.waitIdle({ orWaiting: true })
  return session
}

/** What an owner that was killed leaves: every group that it wrote, and nobody who holds the session. */
async function killedCopy(from: ReturnType<typeof faultyStore>, id: SessionId, to: Store): Promise<Store> {
  const lease = await to.leases.acquire(id)
  for (const { records, head } of from.appends) {
    await to.ledger.append({ session: id, epoch: lease.epoch, records, head })
  }
  await lease.release()
  return to
}

const turnOf = async (store: Store, id: SessionId) => (await inspectSession(store, id)).loops[0]?.turn

describe.each(storeKinds)('inspectSession on $name', (kind) => {
  it('tells a turn that runs, with the input, the call and what waits behind it', async () => {
    const store = kind.open()
    const session = await busySession(store)
    const queued = session.submit('next')
    await queued.accepted

    const { loops, ...seen } = await inspectSession(store, session.id)

    expect(seen).toMatchObject({ id: session.id, owner: 'live', status: 'running', title: 'go' })
    expect(seen.manifest).toMatchObject({ rig: 'rig', loops: [{ name: 'main', model: 'scripted/m' }] })
    expect(loops).toHaveLength(1)
    expect(loops[0]).toMatchObject({ loopId: session.loopId, name: 'main', turnIndex: 1, usage: { inputTokens: 1 } })
    expect(loops[0]?.queued.map(({ inputId, message }) => [inputId, textOf(message.blocks)])).toEqual([
      [queued.inputId, 'next'],
    ])
    expect(loops[0]?.turn).toMatchObject({ turnIndex: 1, gates: [] })
    expect(loops[0]?.turn?.calls).toEqual([
      { executionId: expect.any(String), toolUseId: 'a1', name: 'Act', started: true },
    ])
    await session.shutdown()
  })

  it('tells the gates that are open as their owner does, and the denial of one that is not', async () => {
    const store = kind.open()
    const session = await waitingSession(store)
    const before = await inspectSession(store, session.id)
    const gates = session.gates()

    await session.answer(gates[0]?.gateId ?? ('' as never), { action: 'deny' })
    const turn = await turnOf(store, session.id)

    expect(before.status).toBe('waiting')
    expect(before.loops[0]?.turn?.gates).toEqual(gates)
    expect(before.loops[0]?.turn?.calls.map((call) => [call.toolUseId, call.started, call.result])).toEqual([
      ['a1', false, undefined],
      ['a2', false, undefined],
    ])
    expect(turn?.gates).toEqual(gates.slice(1))
    expect(textOf(turn?.calls[0]?.result?.blocks ?? [])).toMatch(/^permission denied/)
    await session.shutdown()
  })

  it('tells an idle session as its owner knows it', async () => {
    const store = kind.open()
    const session = await smallRig(store, { responses: [text, text] }).newSession()
    await session.submit('one').result()
    await session.submit('two').result()

    const { owner, status, loops, tip } = await inspectSession(store, session.id)

    expect({ owner, status }).toEqual({ owner: 'live', status: 'idle' })
    expect(tip).toBe((await store.ledger.find(session.id))?.tip)
    expect(loops[0]?.history).toEqual(session.history())
    expect(loops[0]).toMatchObject({ turnIndex: 2, queued: [], usage: { inputTokens: 2, outputTokens: 2 } })
    expect(loops[0]).not.toHaveProperty('turn')
    await session.shutdown()
  })

  it('tells that nobody owns a session that was shut down', async () => {
    const store = kind.open()
    const rig = smallRig(store, { responses: [text] })
    const session = await rig.newSession()
    await session.submit('one').result()
    await session.shutdown()

    expect(await rig.inspect(session.id)).toMatchObject({ owner: 'none', status: 'idle' })
  })

  it('tells of a session that was stopped for good that nothing is open or queued', async () => {
    const store = kind.open()
    const session = await busySession(store)
    await session.submit('next').accepted
    await session.stop()

    const { owner, status, loops } = await inspectSession(store, session.id)

    expect({ owner, status }).toEqual({ owner: 'none', status: 'stopped' })
    expect(loops[0]?.queued).toEqual([])
    expect(loops[0]).not.toHaveProperty('turn')
  })

  it('tells what a killed owner left open, and leaves it open', async () => {
    const owned = faultyStore(kind.open(), () => undefined)
    const session = await busySession(owned)
    const store = await killedCopy(owned, session.id, kind.open())
    const tip = (await store.ledger.find(session.id))?.tip

    const seen = await inspectSession(store, session.id)

    expect(seen).toMatchObject({ owner: 'none', status: 'interrupted', tip })
    expect(seen.loops[0]?.turn?.calls).toMatchObject([{ toolUseId: 'a1', started: true }])
    expect(await inspectSession(store, session.id)).toEqual(seen)
    expect(await readRecords(store, session.id)).toHaveLength(tip ?? 0)
    await session.shutdown()
  })

  it('is waiting at the gates that a killed owner left open', async () => {
    const owned = faultyStore(kind.open(), () => undefined)
    const session = await waitingSession(owned)
    const store = await killedCopy(owned, session.id, kind.open())

    const { owner, status, loops } = await inspectSession(store, session.id)

    expect({ owner, status }).toEqual({ owner: 'none', status: 'waiting' })
    expect(loops[0]?.turn?.gates).toEqual(session.gates())
    await session.shutdown()
  })

  it('takes no lease and writes nothing, so that the owner goes on', async () => {
    const store = faultyStore(kind.open(), () => undefined)
    const session = await waitingSession(store)
    const written = store.appends.length

    const seen = await inspectSession(store, session.id)
    const held = await store.leases.isHeld(session.id)
    const appended = store.appends.length - written
    for (const { gateId } of session.gates()) await session.answer(gateId, { action: 'approve' })
    await session.waitIdle()

    expect({ held, appended, owner: seen.owner }).toEqual({ held: true, appended: 0, owner: 'live' })
    expect(new Set(store.appends.map(({ epoch }) => epoch))).toEqual(new Set([1]))
    expect(session.fault).toBeUndefined()
    await session.shutdown()
    const lease = await store.leases.acquire(session.id)
    expect(lease.epoch).toBe(2)
    await lease.release()
  })

  it('fixes the tip at the start: what is written between two pages is left out', async () => {
    const store = kind.open()
    const turns = 80
    const responses = Array.from({ length: turns + 2 }, () => text)
    const session = await smallRig(store, { responses }).newSession()
    for (let turn = 0; turn < turns; turn += 1) await session.submit(`${turn}`).result()
    const tip = (await store.ledger.find(session.id))?.tip ?? 0
    const written: Store = {
      ...store,
      ledger: {
        append: (request) => store.ledger.append(request),
        find: (id) => store.ledger.find(id),
        list: () => store.ledger.list(),
        now: () => store.ledger.now(),
        watch: (request) => store.ledger.watch(request),
        read: async (request) => {
          const page = await store.ledger.read(request)
          await session.submit('meanwhile').result()
          return page
        },
      },
    }

    const seen = await inspectSession(written, session.id)

    expect(tip).toBeGreaterThan(500)
    expect(seen).toMatchObject({ tip, status: 'idle', owner: 'live' })
    expect(seen.loops[0]?.history).toEqual(session.history().slice(0, turns * 2))
    await session.shutdown()
  })

  it('cuts at the end of a group, however fast the owner writes', async () => {
    const store = faultyStore(kind.open(), () => undefined)
    const session = await smallRig(store, { responses: Array.from({ length: 30 }, () => text) }).newSession()
    const submissions = Array.from({ length: 30 }, (_, turn) => session.submit(`${turn}`).result())
    let running = true
    void Promise.all(submissions).finally(() => {
      running = false
    })

    const tips: number[] = []
    while (running) {
      const { tip, owner, loops } = await inspectSession(store, session.id)
      tips.push(tip)
      expect(owner).toBe('live')
      expect(loops[0]?.history).toEqual(session.history().slice(0, loops[0]?.history.length))
      // a memory store answers in microtasks alone, which would keep the owner from its turn
      await new Promise((resolve) => setImmediate(resolve))
    }

    const ends = new Set<number>()
    store.appends.reduce((sum, { records }) => ends.add(sum + records.length) && sum + records.length, 0)
    expect(tips.filter((tip) => !ends.has(tip))).toEqual([])
    expect(tips).toEqual(tips.toSorted((a, b) => a - b))
    await session.shutdown()
  })

  it('calls an owner live that wrote and left while its journal was read', async () => {
    const store = kind.open()
    const session = await busySession(store)
    const leaving: Store = {
      ...store,
      ledger: store.ledger,
      leases: {
        acquire: (id) => store.leases.acquire(id),
        isHeld: async (id) => {
          await session.shutdown()
          return store.leases.isHeld(id)
        },
      },
    }

    expect(await inspectSession(leaving, session.id)).toMatchObject({ owner: 'live', status: 'running' })
    expect(await inspectSession(store, session.id)).toMatchObject({ owner: 'none', status: 'interrupted' })
  })

  it('refuses an id that the store does not know, and one that is none', async () => {
    const store = kind.open()
    const rig = smallRig(store)
    const reserved = '33333333-0000-7000-8000-000000000000' as SessionId
    const lease = await store.leases.acquire(reserved)

    for (const id of ['44444444-0000-7000-8000-000000000000', reserved, '../x', '']) {
      await expect(rig.inspect(id as SessionId), id).rejects.toMatchObject({ code: 'session_not_found' })
    }
    await lease.release()
  })

  it('refuses a journal that breaks its rules, naming the record', async () => {
    const store = kind.open()
    const id = '33333333-0000-7000-8000-000000000000' as SessionId
    const lease = await store.leases.acquire(id)
    await store.ledger.append({ session: id, epoch: lease.epoch, records: [newRecord('x')] })

    const refused = inspectSession(store, id)

    await expect(refused).rejects.toMatchObject({ name: 'JournalError', seq: 1 })
    await lease.release()
  })

  it('throws the error of a store that is closed', async () => {
    const store = kind.open()
    const session = await smallRig(store).newSession()
    await session.shutdown()
    await store.close()

    await expect(inspectSession(store, session.id)).rejects.toMatchObject({ name: 'StoreError', code: 'closed' })
  })

  it('gives data that nobody can change', async () => {
    const store = kind.open()
    const session = await waitingSession(store)

    const seen = await inspectSession(store, session.id)

    const left: unknown[] = [seen]
    for (let part = left.pop(); part !== undefined; part = left.pop()) {
      expect(Object.isFrozen(part), JSON.stringify(part)).toBe(true)
      left.push(...Object.values(part as object).filter((value) => typeof value === 'object' && value !== null))
    }
    await session.shutdown()
  })
})

describe('inspectSession', () => {
  it('reads a session that another connection to its file owns', async () => {
    const folder = tempFolder()
    const session = await waitingSession(openSqlite(folder))
    const reader = openSqlite(folder)

    const seen = await inspectSession(reader, session.id)

    expect(seen).toMatchObject({ owner: 'live', status: 'waiting' })
    expect(seen.loops[0]?.turn?.gates).toEqual(session.gates())
    await session.shutdown()
    expect(await inspectSession(reader, session.id)).toMatchObject({ owner: 'none', status: 'waiting' })
  })

  it('tells the same of every cut as the records up to there, also of one inside a group', async () => {
    const [memory] = storeKinds
    const store = memory?.open()
    if (store === undefined) throw new Error('no memory store')
    const world = { effect: () => undefined, pause: () => new Promise<void>((resolve) => setTimeout(resolve, 90)) }
    const session = await richRig({ store, world }).newSession()
    await driveRichSession(session)
    const records = await readRecords(store, session.id)

    for (const { seq } of records) {
      const find = async (id: string) => {
        const found = await store.ledger.find(id)
        return found && { ...found, tip: seq }
      }
      const ledger = { ...store.ledger, find, read: store.ledger.read.bind(store.ledger) }
      const { tip, loops } = await inspectSession({ ...store, leases: store.leases, ledger }, session.id)
      const read = readBodies(records.slice(0, seq))
      expect(tip).toBe(seq)
      for (const { loopId, history } of loops) expect(history).toEqual(transcriptOf(ofLoop(read, loopId)))
    }
    await session.shutdown()
  })
})
