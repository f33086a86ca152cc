import type { SessionId } from '@looprig/core'
import { scriptedClient } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { newRecord } from '@looprig/store/testing'
import { describe, expect, it } from 'vitest'
import { adoptAll, headlessGate, interactiveGate, type LoopMode } from '../../src/index.ts'
import { faultyStore } from '../../src/testing.ts'
import { readRecords, tempFolder } from '../journal/stores.ts'
import { allowing, calling, effectTool } from '../session/open-session.ts'
import { adoptionsOf, loop, model, parkedSession, refusalOf, rigOf } from './drift-rig.ts'

const otherModel = { loops: [loop({ model: { ...model, name: 'n' } })] }

function typesOf(bodies: readonly { readonly body: string }[]): readonly unknown[] {
  return bodies.map(({ body }) => JSON.parse(body).type)
}

describe('an adoption', () => {
  it('is the first record of the one append of a restore', async () => {
    const memory = memoryStore()
    const id = await parkedSession(memory)
    const store = faultyStore(memory, () => undefined)

    await refusalOf(rigOf(store, otherModel), id)

    expect(store.appends).toHaveLength(1)
    expect(typesOf(store.appends[0]?.records ?? [])).toEqual(['ConfigurationAdopted'])
  })

  it('is delivered to those who follow the session', async () => {
    const store = memoryStore()
    const id = await parkedSession(store)
    await using session = await rigOf(store, otherModel).restoreSession(id)

    const types: string[] = []
    for await (const { event } of session.subscribe({ since: 0 })) {
      types.push(event.type)
      if (event.type === 'ConfigurationAdopted') break
    }

    expect(types.at(0)).toBe('SessionStarted')
  })

  it('is the configuration that an inspection shows, the last one of several', async () => {
    const store = memoryStore()
    const id = await parkedSession(store)
    await refusalOf(rigOf(store, otherModel), id)
    await refusalOf(rigOf(store, { loops: [loop({ model: { ...model, name: 'o' } })] }), id)

    expect(await adoptionsOf(store, id)).toHaveLength(2)
    expect((await rigOf(store).inspect(id)).manifest.loops).toMatchObject([{ model: 'p/o' }])
  })

  it('of another workspace moves the session in lists, and leaves it as it stood', async () => {
    const store = memoryStore()
    const [root, other] = [tempFolder(), tempFolder()]
    const id = await parkedSession(store, { workspace: { root } })
    const rig = rigOf(store, { workspace: { root: other }, onDrift: adoptAll })

    await refusalOf(rig, id)

    const [listed] = await rig.sessions()
    expect(listed).toMatchObject({ id, workspace: (await rig.inspect(id)).manifest.workspace, status: 'idle' })
    expect(listed?.workspace).toContain(other)
  })

  it('starts a loop that came, once', async () => {
    const store = memoryStore()
    const id = await parkedSession(store)
    const two = { loops: [loop(), loop({ name: 'second' })] }

    const session = await rigOf(store, two).restoreSession(id)
    const second = session.loops.find(({ name }) => name === 'second')
    expect(session.loops.map(({ name }) => name)).toEqual(['main', 'second'])
    await session.setActiveLoop(second?.loopId ?? session.loopId)
    expect((await session.submit('go').result()).status).toBe('done')
    await session.shutdown()

    const before = await readRecords(store, id)
    expect(await refusalOf(rigOf(store, two), id)).toBeUndefined()
    expect(await readRecords(store, id)).toEqual(before)
  })

  it('starts a loop that was an agent only, beside the agents of its kind', async () => {
    const store = memoryStore()
    const start = { name: 'StartAgent', input: { agent_type: 'helper', instructions: 'Help.' } }
    const client = scriptedClient([calling(start), { text: 'Done.' }])
    const two = () => [loop({ client, delegates: ['helper'] }), loop({ name: 'helper' })]
    const id = await parkedSession(store, { loops: two() })

    const adopting = rigOf(store, { loops: two(), primers: ['main', 'helper'], onDrift: adoptAll })
    await using session = await adopting.restoreSession(id)

    expect(session.loops.map(({ name }) => name)).toEqual(['main', 'helper', 'helper'])
  })

  it('without a loop that went keeps what waits for it, and another one with it goes on', async () => {
    const store = memoryStore()
    const two = { loops: [loop(), loop({ name: 'second' })] }
    const id = await parkedSession(store, two)

    await refusalOf(rigOf(store, { onDrift: adoptAll }), id)
    expect(await refusalOf(rigOf(store, two), id)).toBeUndefined()

    expect((await rigOf(store).inspect(id)).loops.map(({ name }) => name)).toEqual(['main', 'second'])
  })
})

describe('a mode in force that is gone', () => {
  const [plan, fast]: readonly [LoopMode, LoopMode] = [{ name: 'plan', instructions: 'Plan.' }, { name: 'fast' }]
  const both = { loops: [loop({ modes: [plan, fast], initialMode: '' })] }
  const without = { loops: [loop({ modes: [fast], initialMode: 'fast' })] }

  async function sessionInPlan(store: Store): Promise<SessionId> {
    const session = await rigOf(store, both).newSession()
    await session.setMode('plan')
    await session.shutdown()
    return session.id
  }

  it('rejects, where another mode that is gone does not', async () => {
    const store = memoryStore()
    const refused = await refusalOf(rigOf(store, without), await sessionInPlan(store))
    const taken = await refusalOf(rigOf(store, without), await parkedSession(store, both))

    expect(refused?.changes).toContainEqual({
      field: 'loops.main.modes.plan',
      category: 'modes',
      severity: 'warn',
      recorded: 'defined',
      present: '',
    })
    expect(taken).toBeUndefined()
  })

  it('rejects also when only the turn at an open gate still works in it, and adopted that turn is closed', async () => {
    const store = memoryStore()
    const touch = effectTool('touch', () => undefined)
    const client = scriptedClient([calling({ name: 'touch', input: {} }), { text: 'Done.' }])
    const gate = interactiveGate({ access: [allowing('ask')] })
    const asking = loop({ tools: [touch], gate, client, modes: [plan, fast], initialMode: 'plan' })
    const session = await rigOf(store, { loops: [asking] }).newSession()
    session.submit('go')
    await session.waitIdle({ orWaiting: true })
    await session.setMode('fast')
    await session.shutdown()
    const one = { loops: [loop({ tools: [touch], gate, modes: [fast], initialMode: 'fast' })] }

    const refused = await refusalOf(rigOf(store, one), session.id)
    await refusalOf(rigOf(store, { ...one, onDrift: adoptAll }), session.id)

    expect(refused?.changes).toMatchObject([
      { category: 'modes', severity: 'info' },
      { field: 'loops.main.modes.plan', severity: 'warn' },
    ])
    expect((await rigOf(store).inspect(session.id)).loops[0]?.turn).toBeUndefined()
  })

  it('is left for the first mode of the present rig when it is adopted', async () => {
    const store = memoryStore()
    const id = await sessionInPlan(store)

    const session = await rigOf(store, { ...without, onDrift: adoptAll }).restoreSession(id)
    expect((await session.submit('go').result()).status).toBe('done')
    await session.shutdown()

    const changed = (await readRecords(store, id)).filter(({ body }) => body.includes('"LoopModeChanged"'))
    expect(changed.map(({ body }) => JSON.parse(body))).toMatchObject([
      { previous: '', mode: 'plan' },
      { previous: 'plan', mode: 'fast' },
    ])
  })
})

describe('a rejection', () => {
  it('leaves open gates as they are', async () => {
    const store = memoryStore()
    const touch = effectTool('touch', () => undefined)
    const client = () => scriptedClient([calling({ name: 'touch', input: {} }), { text: 'Done.' }])
    const gate = interactiveGate({ access: [allowing('ask')] })
    const asking = () => ({ loops: [loop({ tools: [touch], gate, client: client() })] })
    const session = await rigOf(store, asking()).newSession()
    const turn = session.submit('go')
    await session.waitIdle({ orWaiting: true })
    const open = session.gates()
    await session.shutdown()
    await turn.result()
    const before = await readRecords(store, session.id)

    const refused = await refusalOf(rigOf(store, { loops: [loop({ tools: [], gate })] }), session.id)

    expect(refused?.reason).toBe('rejected')
    expect(open).toHaveLength(1)
    expect(await readRecords(store, session.id)).toEqual(before)
    const [inspected] = (await rigOf(store).inspect(session.id)).loops
    expect(inspected?.turn?.gates).toEqual(open)
  })
})

describe('a session of an older version', () => {
  /** A journal whose manifest knows of names, models, system texts and tools only. */
  async function oldSession(store: Store): Promise<SessionId> {
    const id = await parkedSession(store)
    const { loops, ...rest } = (await rigOf(store).inspect(id)).manifest
    const old = {
      ...rest,
      loops: loops.map(({ name, model, systemDigest, tools }) => ({ name, model, systemDigest, tools })),
    }
    const made = '00000000-0000-7000-8000-00000000aaaa' as SessionId
    const records = (await readRecords(store, id)).map(({ id: record, kind, body }) =>
      newRecord(record, record === 'session' ? JSON.stringify({ ...JSON.parse(body), config: old }) : body, kind),
    )
    const lease = await store.leases.acquire(made)
    await store.ledger.append({ session: made, epoch: lease.epoch, records })
    await lease.release()
    return made
  }

  it('is the same as one of today without what it does not know of', async () => {
    const store = memoryStore()
    const id = await oldSession(store)

    expect(await refusalOf(rigOf(store, { loops: [loop({ limits: { calls: 7 } })] }), id)).toBeUndefined()
    expect(await adoptionsOf(store, id)).toEqual([])
  })

  it.each([
    ['interactive', interactiveGate],
    ['headless', headlessGate],
  ])('takes an %s gate, and records it', async (posture, makeGate) => {
    const store = memoryStore()
    const id = await oldSession(store)

    expect(await refusalOf(rigOf(store, { loops: [loop({ gate: makeGate({ access: [] }) })] }), id)).toBeUndefined()

    expect(await adoptionsOf(store, id)).toMatchObject([
      { changes: [{}, { field: 'loops.main.gate', severity: 'info', recorded: '', present: posture }] },
    ])
    const refused = await refusalOf(
      rigOf(store, { loops: [loop({ gate: { evaluate: makeGate({ access: [] }).evaluate } })] }),
      id,
    )
    expect(refused?.changes).toMatchObject([{ field: 'loops.main.gate', severity: 'warn' }])
  })
})
