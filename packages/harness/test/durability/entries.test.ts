import type { GateId } from '@looprig/core'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import type { Rig, Session } from '../../src/index.ts'
import { starts } from '../delegate/agent-session.ts'
import { tempFolder } from '../journal/stores.ts'
import { acts, durableRig, type RigPlan } from './durable-rig.ts'

/** A rig whose model first calls an effectful tool that needs a person. */
function askingRig(plan: RigPlan) {
  const effects: string[] = []
  const store = memoryStore()
  const world = { folder: tempFolder(), act: (value: string) => void effects.push(value) }
  const rig = durableRig(store, world, plan)
  return { rig, store, effects, again: (more: RigPlan) => durableRig(store, world, more) }
}

const asks = [acts(['ask']), { text: 'ok' }]

/** Every way in which a call can come to run. */
const entries: readonly (readonly [string, RigPlan, (rig: Rig) => Promise<Session>])[] = [
  ['of an input', { says: asks }, async (rig) => submitTo(await rig.newSession())],
  [
    'of an input of another process',
    { says: asks },
    async (rig) => {
      const session = await rig.newSession()
      await rig.mailbox(session.id).submit('go')
      return session
    },
  ],
  [
    'of an input that a restore found waiting',
    { says: asks },
    async (rig) => {
      const session = await rig.newSession()
      await session.shutdown()
      await rig.mailbox(session.id).submit('go')
      return rig.restoreSession(session.id)
    },
  ],
  [
    'of a turn that a restore goes on with',
    { says: asks },
    async (rig) => {
      const session = submitTo(await rig.newSession())
      await session.waitIdle({ orWaiting: true })
      await session.shutdown()
      return rig.restoreSession(session.id)
    },
  ],
  ['of a later step', { says: [acts(['free'], 'SafeAct'), ...asks] }, async (rig) => submitTo(await rig.newSession())],
  [
    'of a replay-safe tool',
    { says: [acts(['ask'], 'SafeAct'), { text: 'ok' }] },
    async (rig) => submitTo(await rig.newSession()),
  ],
  [
    'of an agent',
    { says: [starts('scout'), { text: 'ok' }], agent: asks },
    async (rig) => submitTo(await rig.newSession()),
  ],
  [
    'of an agent in the background',
    { says: [starts('scout', { wait_for_response: false }), { text: 'a' }, { text: 'b' }], agent: asks },
    async (rig) => submitTo(await rig.newSession()),
  ],
]

function submitTo(session: Session): Session {
  session.submit('go')
  return session
}

describe('an effectful call that needs a person (C12)', () => {
  it.each(entries)('%s waits for one, and runs once when it is approved', async (_, plan, enter) => {
    const { rig, effects } = askingRig(plan)
    const session = await enter(rig)
    // an input of another process may not have been seen yet
    while ((await session.waitIdle({ orWaiting: true })) === 'idle')
      await new Promise((resolve) => setImmediate(resolve))
    const before = effects.filter((value) => value === 'ask')

    for (const { gateId } of session.gates()) await session.answer(gateId, { action: 'approve' })
    await session.waitIdle()
    await session.shutdown()

    expect(before).toEqual([])
    expect(effects.filter((value) => value === 'ask')).toEqual(['ask'])
  })

  it.each(entries)('%s never runs when it is denied', async (_, plan, enter) => {
    const { rig, effects } = askingRig(plan)
    const session = await enter(rig)
    while ((await session.waitIdle({ orWaiting: true })) === 'idle')
      await new Promise((resolve) => setImmediate(resolve))

    for (const { gateId } of session.gates()) await session.answer(gateId, { action: 'deny' })
    await session.waitIdle()
    await session.shutdown()

    expect(effects).not.toContain('ask')
  })
})

describe('what a model says after an approval (C10)', () => {
  it('has no part in it: what was approved runs, and the rest is asked about anew', async () => {
    const { rig, effects, again } = askingRig({ says: [acts(['ask A'])] })
    const session = submitTo(await rig.newSession())
    await session.waitIdle({ orWaiting: true })
    await session.shutdown()

    const restored = await again({ says: [acts(['ask B']), { text: 'ok' }] }).restoreSession(session.id)
    const [first] = restored.gates()
    await restored.answer(first?.gateId as GateId, { action: 'approve' })
    await restored.waitIdle({ orWaiting: true })
    const between = [...effects]
    const [second] = restored.gates()
    await restored.answer(second?.gateId as GateId, { action: 'deny' })
    await restored.waitIdle()
    await restored.shutdown()

    expect(between).toEqual(['ask A'])
    expect(second?.gateId).not.toBe(first?.gateId)
    expect(effects).toEqual(['ask A'])
  })
})
