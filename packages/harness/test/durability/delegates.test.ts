import { beforeAll, describe, expect, it } from 'vitest'
import { expectWholeSession } from '../delegate/agent-invariants.ts'
import { answers, heard, starts } from '../delegate/agent-session.ts'
import { readRecords, tempFolder } from '../journal/stores.ts'
import { eventsOf, type ReadRecord } from '../restore/journal-invariants.ts'
import { crashedSession, ownedSession } from './after-crash.ts'
import { acts, effectsIn } from './durable-rig.ts'
import { bundleOwner } from './owner-child.ts'

let script = ''
beforeAll(async () => {
  script = await bundleOwner(tempFolder())
})

describe('an owner that is killed while its agent waits at a gate', () => {
  it('leaves both where they are: once approved the call runs once, and the parent goes on with the answer (32)', async () => {
    const owned = await ownedSession(script, { says: [starts('scout')], agent: [acts(['ask'])] })
    await owned.owner.untilEvent('PermissionRequested')
    owned.owner.kill('SIGKILL')
    await owned.owner.exited()
    const before = await owned.records()

    const { session, requests } = await owned.restore({ says: [{ text: 'Thanks.' }], agent: [{ text: 'acted' }] })
    const restored = await owned.records()
    for (const { gateId } of session.gates()) await session.answer(gateId, { action: 'approve' })
    await session.waitIdle()

    expect(restored).toEqual(before)
    expect(effectsIn(owned.folder)).toEqual(['ask'])
    expect(answers(session.history())).toMatchObject([{ response: 'acted', response_status: 'completed' }])
    expect(answers(requests[0]?.messages ?? [])).toMatchObject([{ response: 'acted' }])
    expect(session.history().at(-1)).toMatchObject({ blocks: [{ text: 'Thanks.' }] })
    expectWholeSession(await readRecords(owned.store, owned.id))
  })

  it('beside a call of unknown outcome leaves nothing to go on with: both close in one append (33)', async () => {
    const [start] = starts('scout').toolCalls ?? []
    const [busy] = acts(['a'], 'Act', true).toolCalls ?? []
    const toolCalls = [start, busy].filter((call) => call !== undefined)
    const owned = await ownedSession(script, { says: [{ toolCalls }], agent: [acts(['ask'])] })
    await owned.owner.untilEvent('PermissionRequested')
    owned.owner.kill('SIGKILL')
    await owned.owner.exited()
    const before = await owned.records()

    const { session } = await owned.restore({ agent: [] })

    const stored = await readRecords(owned.store, owned.id)
    const repair = stored.slice(before.length)
    expect(new Set(repair.map(({ at }) => at)).size).toBe(1)
    expect(repair.map(({ body }) => JSON.parse(body).type)).toEqual([
      ...['GateResolved', 'StepDone', 'TurnInterrupted', 'LoopIdle'],
      ...['StepDone', 'TurnInterrupted', 'LoopIdle', 'SessionIdle'],
    ])
    const after = await owned.records()
    expect(eventsOf(after, 'GateResolved')).toMatchObject([{ reason: 'abandoned' }])
    expect(session.gates()).toEqual([])
    expect(answers(session.history())).toEqual(['agent interrupted', expect.stringMatching(/^outcome_unknown/)])
    expect(effectsIn(owned.folder)).toEqual(['a'])
    expectWholeSession(stored)
  })
})

describe('an owner that is killed around the end of an agent in the background', () => {
  const background = starts('scout', { wait_for_response: false })
  const handBacks = (records: readonly ReadRecord[]) =>
    records.filter(({ kind, body }) => kind === 'input' && 'from' in body && body.from !== undefined)

  it.each([
    ['kill before', 'interrupted', 0],
    ['kill after', 'completed', 1],
  ] as const)('has its parent told once: %s that append (34)', async (when, status, told) => {
    const at = { holding: ['response_status'], do: when }
    const says = [background, { text: 'started' }]
    const crashed = await crashedSession(script, { says, agent: [{ text: 'found', delayMs: 150 }], at })

    const { session } = await crashed.restore({ says: [{ text: 'thanks' }], agent: [] })
    await session.waitIdle()
    const after = await crashed.records()
    await session.shutdown()
    const again = await crashed.restore({ agent: [] })
    await again.session.waitIdle()

    expect(crashed.ended).toBe('SIGKILL')
    expect(handBacks(crashed.before)).toHaveLength(told)
    expect(handBacks(after)).toHaveLength(1)
    expect(heard(session.history()).slice(1)).toMatchObject([{ response_status: status }])
    expect(await crashed.records()).toEqual(after)
    expectWholeSession(await readRecords(crashed.store, crashed.id))
  })
})
