import type { GateId } from '@looprig/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { faultAt, faultyStore } from '../../src/testing.ts'
import { permissions } from '../gate/open-gates.ts'
import { openSqlite, tempFolder } from '../journal/stores.ts'
import { ApprovalWorld, decide } from '../restore/approval-world.ts'
import { eventsOf, expectWhole } from '../restore/journal-invariants.ts'
import { resultTexts } from '../session/open-session.ts'
import { ownedSession } from './after-crash.ts'
import { acts, deleteRules, durableRig, effectsIn, rulesIn } from './durable-rig.ts'
import { bundleOwner } from './owner-child.ts'
import type { OwnerPlan } from './owner-plan.ts'

let script = ''
beforeAll(async () => {
  script = await bundleOwner(tempFolder())
})

/** Starts an owner whose calls wait for people, and kills or stops it there. */
async function askingSession(
  values: readonly string[],
  { kill, ...plan }: OwnerPlan & { readonly kill: boolean; tool?: string },
) {
  const owned = await ownedSession(script, { says: [acts(values, plan.tool)], ...plan })
  await owned.owner.untilEvent('PermissionRequested', values.length)
  owned.owner.kill(kill ? 'SIGKILL' : 'SIGSTOP')
  if (kill) await owned.owner.exited()
  const gateIds = eventsOf(await owned.records(), 'PermissionRequested').map(({ gateId }) => gateId)
  return { ...owned, gateIds, first: gateIds[0] as GateId }
}

describe('an owner that is killed while people are asked', () => {
  it('leaves gates that are answered in any order, each once, and runs what was approved once (9)', async () => {
    const asked = await askingSession(['ask 1', 'ask 2', 'ask 3'], { kill: true })

    const { session } = await asked.restore({ says: [{ text: 'ok' }] })
    const open = permissions(session).map(({ gateId }) => gateId)
    await session.answer(open[2] as GateId, { action: 'approve' })
    await session.answer(open[0] as GateId, { action: 'deny' })
    await session.answer(open[1] as GateId, { action: 'approve' })
    await session.waitIdle()

    expect(open).toEqual(asked.gateIds)
    expect(effectsIn(asked.folder).toSorted()).toEqual(['ask 2', 'ask 3'])
    const records = await asked.records()
    expect(
      eventsOf(records, 'GateResolved')
        .map(({ gateId }) => gateId)
        .toSorted(),
    ).toEqual(open.toSorted())
    expect(eventsOf(records, 'TurnDone')).toHaveLength(1)
    expectWhole(records)
  })

  it.each(['Act', 'SafeAct'])(
    'after an approval that it did not see leaves a call that runs once, unasked: %s (10)',
    async (tool) => {
      const asked = await askingSession(['ask'], { kill: false, tool })
      const elsewhere = durableRig(asked.store, asked).mailbox(asked.id)
      await elsewhere.answer(asked.first, { action: 'approve' })
      asked.owner.kill('SIGKILL')
      await asked.owner.exited()
      const before = await asked.records()

      const { session } = await asked.restore({ says: [{ text: 'ok' }] })
      await session.waitIdle()

      expect(before.filter(({ kind }) => kind === 'run')).toEqual([])
      expect(effectsIn(asked.folder)).toEqual(['ask'])
      const records = await asked.records()
      expect(eventsOf(records, 'PermissionRequested')).toHaveLength(1)
      expect(eventsOf(records, 'GateResolved')).toHaveLength(1)
      expect(resultTexts(session.history())).toEqual(['acted on ask'])
    },
  )

  it.each(['Act', 'SafeAct'])(
    'right after the start of an approved call never runs it again, replay-safe or not: %s (11)',
    async (tool) => {
      const at = { holding: ['run run/'], do: 'kill after' } as const
      const owned = await ownedSession(script, { says: [acts(['ask'], tool)], at })
      const { gateId } = (await owned.owner.untilEvent('PermissionRequested')) as { readonly gateId: GateId }
      await durableRig(owned.store, owned).mailbox(owned.id).answer(gateId, { action: 'approve' })
      const ended = await owned.owner.exited()

      const { session } = await owned.restore()

      expect(ended).toBe('SIGKILL')
      expect(effectsIn(owned.folder)).toEqual([])
      expect(resultTexts(session.history())).toEqual([expect.stringMatching(/^outcome_unknown/)])
      expect(session.gates()).toEqual([])
    },
  )
})

describe('an owner that is killed while it saves the rule of an approve_always', () => {
  it.each(['before', 'after'] as const)(
    '%s the rule is there: it is there once, and the call runs once (15)',
    async (killInRules) => {
      const owned = await ownedSession(script, { says: [acts(['ask'])], killInRules })
      const { gateId } = (await owned.owner.untilEvent('PermissionRequested')) as { readonly gateId: GateId }
      await durableRig(owned.store, owned).mailbox(owned.id).answer(gateId, { action: 'approve_always' })
      const ended = await owned.owner.exited()
      const saved = rulesIn(owned.folder)

      const { session } = await owned.restore({ says: [{ text: 'ok' }] })
      await session.waitIdle()

      expect(ended).toBe('SIGKILL')
      expect(saved).toEqual(killInRules === 'before' ? [] : ['ask'])
      expect(rulesIn(owned.folder)).toEqual(['ask'])
      expect(effectsIn(owned.folder)).toEqual(['ask'])
      expect(eventsOf(await owned.records(), 'PermissionRequested')).toHaveLength(1)
    },
  )

  it('leaves a rule deleted that a person deleted after it was spent (16)', async () => {
    const at = { holding: ['"StepDone"'], do: 'kill before' } as const
    const owned = await ownedSession(script, { says: [acts(['ask'])], at })
    const { gateId } = (await owned.owner.untilEvent('PermissionRequested')) as { readonly gateId: GateId }
    await durableRig(owned.store, owned).mailbox(owned.id).answer(gateId, { action: 'approve_always' })
    await owned.owner.exited()
    const saved = rulesIn(owned.folder)
    deleteRules(owned.folder)

    const { session } = await owned.restore()
    await session.waitIdle()

    expect(saved).toEqual(['ask'])
    expect(rulesIn(owned.folder)).toEqual([])
    expect(effectsIn(owned.folder)).toEqual(['ask'])
  })
})

describe('a gate that was asked under a sandbox', () => {
  it('leads to `stale` when that is gone at the restore, whoever approves then (14)', async () => {
    const world = new ApprovalWorld()
    world.fingerprint = 'enforced'
    const { session, store } = await world.waiting(['a'])
    const left = await world.crash(session, store)
    world.fingerprint = undefined

    const { session: restored, recording } = await world.restore(left, session.id)
    await decide(restored, 'a', 'approve')
    await restored.waitIdle()

    expect(recording.events('GateResolved')).toMatchObject([{ reason: 'answered', action: 'approve' }])
    expect(world.effects).toEqual([])
    expect(resultTexts(restored.history())).toEqual([expect.stringMatching(/^stale/)])
  })
})

describe('an answer whose reply is lost', () => {
  it('succeeds when it is given again, in whatever process, and another is already_resolved (21)', async () => {
    const asked = await askingSession(['ask'], { kill: false })
    const gone = faultyStore(openSqlite(asked.folder), faultAt(1, { kind: 'unanswered' }))
    const lost = durableRig(gone, asked).mailbox(asked.id).answer(asked.first, { action: 'approve' })
    let isAnswered = false
    lost.finally(() => (isAnswered = true)).catch(() => undefined)
    await asked.untilDurable(/^gate\/.*\/end$/)

    const again = durableRig(asked.store, asked).mailbox(asked.id)
    await again.answer(asked.first, { action: 'approve' })
    const other = await again.answer(asked.first, { action: 'deny' }).catch((error: unknown) => error)
    asked.owner.kill('SIGKILL')
    await asked.owner.exited()
    const { session } = await asked.restore({ says: [{ text: 'ok' }] })
    await session.answer(asked.first, { action: 'approve' })
    const late = await session.answer(asked.first, { action: 'deny' }).catch((error: unknown) => error)
    await session.waitIdle()

    expect(isAnswered).toBe(false)
    expect([other, late]).toMatchObject(Array(2).fill({ code: 'already_resolved', action: 'approve' }))
    expect(eventsOf(await asked.records(), 'GateResolved')).toHaveLength(1)
    expect(effectsIn(asked.folder)).toEqual(['ask'])
  })
})
