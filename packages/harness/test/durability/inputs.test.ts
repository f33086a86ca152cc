import { type GateId, type InputId, textOf } from '@looprig/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { faultAt, faultyStore } from '../../src/testing.ts'
import { openSqlite, readRecords, tempFolder } from '../journal/stores.ts'
import { handOver, otherId } from '../queue/other-process.ts'
import { eventsOf, expectWhole, nameOf, readBodies, resolvedInputs } from '../restore/journal-invariants.ts'
import { crashedSession, type OwnedSession, ownedSession } from './after-crash.ts'
import { acts, durableRig, saidIn } from './durable-rig.ts'
import { bundleOwner } from './owner-child.ts'

let script = ''
beforeAll(async () => {
  script = await bundleOwner(tempFolder())
})

const holding = { says: [acts(['a'], 'Act', true)], drainTimeoutMs: 20 }

async function expectOnce(owned: OwnedSession, inputId: InputId): Promise<void> {
  const records = await owned.records()
  expect(records.filter(({ id }) => id === `in/${inputId}`)).toHaveLength(1)
  expect(resolvedInputs(records).filter((id) => id === inputId)).toHaveLength(1)
  expectWhole(records)
}

describe('an input whose acceptance nobody heard of', () => {
  it('is one input with one outcome when the owner was killed right after it (22)', async () => {
    const inputId = otherId()
    const at = { holding: [`input in/${inputId}`], do: 'kill after' } as const
    const owned = await ownedSession(script, { ...holding, at })
    await owned.owner.untilEvent('ToolCallStarted')
    owned.owner.say({ do: 'submit', text: 'sentinel', inputId })
    const ended = await owned.owner.exited()

    const { session, requests } = await owned.restore({ says: [{ text: 'ok' }] })
    const results = await Promise.all([1, 2].map(() => session.submit('sentinel', { inputId }).result()))
    await session.waitIdle()

    expect(ended).toBe('SIGKILL')
    expect(results.map(({ status, text }) => [status, text])).toEqual(Array(2).fill(['done', 'ok']))
    expect(requests).toHaveLength(1)
    await expectOnce(owned, inputId)
  })

  it('is one turn when the owner was killed right after the append that also began it (22)', async () => {
    const at = { holding: ['"TurnStarted"'], do: 'kill after' } as const
    const crashed = await crashedSession(script, { at })
    const inputId = resolvedInputs(crashed.before)[0] as InputId

    const { session, requests } = await crashed.restore()
    const { status } = await session.submit('go', { inputId }).result()

    expect(status).toBe('interrupted')
    expect(requests).toEqual([])
    await expectOnce(crashed, inputId)
  })

  it('is one input when the connection of another process died, which hands it over again (22)', async () => {
    const owned = await ownedSession(script, { ...holding, says: [...holding.says, { text: 'so' }] })
    await owned.owner.untilEvent('ToolCallStarted')
    const inputId = otherId()
    const gone = faultyStore(openSqlite(owned.folder), faultAt(1, { kind: 'unanswered' }))
    durableRig(gone, owned)
      .mailbox(owned.id)
      .submit('sentinel', { inputId })
      .catch(() => undefined)
    await owned.untilDurable(new RegExp(`^in/${inputId}$`))

    await durableRig(owned.store, owned).mailbox(owned.id).submit('sentinel', { inputId })
    await owned.owner.untilEvent('InputQueued')
    owned.owner.say({ do: 'end', value: 'a' })
    await owned.owner.untilEvent('SessionIdle')

    await expectOnce(owned, inputId)
  })
})

describe('a final answer', () => {
  it.each(['kill before', 'kill after'] as const)('is never without its TurnDone: %s its append (24)', async (when) => {
    const at = { holding: ['"StepDone"'], do: when } as const
    const crashed = await crashedSession(script, { says: [{ text: 'Done.' }], at })

    const { session } = await crashed.restore()

    const answered = when === 'kill after'
    expect(crashed.ended).toBe('SIGKILL')
    expect(eventsOf(crashed.before, 'StepDone')).toHaveLength(answered ? 1 : 0)
    expect(eventsOf(crashed.before, 'TurnDone')).toHaveLength(answered ? 1 : 0)
    expect(crashed.before.map(nameOf).at(-1)).toBe(answered ? 'SessionIdle' : 'SessionActive')
    expect(session.history()).toHaveLength(answered ? 2 : 1)
    expect((await crashed.records()).length - crashed.before.length).toBe(answered ? 0 : 3)
  })
})

describe('inputs of agents behind a turn that is interrupted', () => {
  it.each(['kill before', 'kill after'] as const)('are never run: %s the append of its end (25)', async (when) => {
    const at = { holding: ['"TurnInterrupted"'], do: when } as const
    const owned = await ownedSession(script, { ...holding, at })
    await owned.owner.untilEvent('ToolCallStarted')
    const loopId = eventsOf(await owned.records(), 'LoopStarted')[0]?.loopId
    if (loopId === undefined) throw new Error('no loop')
    const give = (text: string, agency: 'user' | 'machine') =>
      handOver(owned.store, owned.id, loopId, { text, agency, noFold: true })
    const ids = [
      await give('of an agent', 'machine'),
      await give('of a person', 'user'),
      await give('again', 'machine'),
    ]
    await owned.owner.untilEvent('InputQueued', 3)
    owned.owner.say({ do: 'interrupt' })
    const ended = await owned.owner.exited()
    const before = await owned.records()

    const { session, requests } = await owned.restore({ says: [{ text: 'ok' }] })
    await session.waitIdle()

    expect(ended).toBe('SIGKILL')
    expect(eventsOf(before, 'TurnInterrupted')).toHaveLength(when === 'kill before' ? 0 : 1)
    expect(eventsOf(before, 'InputCancelled')).toHaveLength(when === 'kill before' ? 0 : 2)
    // the append of the end also begins what the person said: killed after it, that turn is interrupted as well
    expect(requests.map(saidIn)).toEqual(when === 'kill before' ? [['go', 'of a person']] : [])
    expect(session.history().flatMap(({ role, blocks }) => (role === 'user' ? [textOf(blocks)] : []))).toEqual([
      'go',
      'of a person',
    ])
    const records = await owned.records()
    expect(eventsOf(records, 'InputCancelled')).toMatchObject(
      [ids[0], ids[2]].map((inputId) => ({ inputId, reason: 'turn_interrupted' })),
    )
    expectWhole(records)
  })
})

describe('a queue of three behind an open gate', () => {
  it('outlives a shutdown, and is resolved by a stop (26)', async () => {
    const folder = tempFolder()
    const store = openSqlite(folder)
    const first = await durableRig(store, { folder }, { says: [acts(['ask'])] }).newSession()
    first.submit('go')
    await first.waitIdle({ orWaiting: true })
    const inputIds = [otherId(), otherId(), otherId()]
    for (const inputId of inputIds) await first.submit('more', { inputId }).accepted
    const [gate] = first.gates()
    await first.shutdown()

    const rig = durableRig(store, { folder })
    const restored = await rig.restoreSession(first.id)
    const { loops } = await rig.inspect(first.id)
    await restored.stop()
    const stopped = await rig.inspect(first.id)
    const late = await rig
      .mailbox(first.id)
      .answer(gate?.gateId as GateId, { action: 'approve' })
      .catch((error: unknown) => error)

    expect(restored.gates()).toEqual([])
    expect(loops[0]?.turn?.gates.map(({ gateId }) => gateId)).toEqual([gate?.gateId])
    expect(loops[0]?.queued.map(({ inputId }) => inputId)).toEqual(inputIds)
    expect([stopped.loops[0]?.turn, stopped.loops[0]?.queued]).toEqual([undefined, []])
    expect(eventsOf(readBodies(await readRecords(store, first.id)), 'InputCancelled')).toHaveLength(3)
    expectWhole(readBodies(await readRecords(store, first.id)))
    expect(late).toMatchObject({ code: 'already_resolved' })
  })
})
