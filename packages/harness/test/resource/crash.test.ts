/** What a resource saved before it could tell it, through crashes and restores. */
import type { LoopId, SessionId } from '@looprig/core'
import { textOf } from '@looprig/core'
import type { AppendRequest, Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { interactiveGate, type Session } from '../../src/index.ts'
import { faultyStore, recordSession } from '../../src/testing.ts'
import { storeWith } from '../delegate/lost-owner.ts'
import { readRecords } from '../journal/stores.ts'
import { allowing, calling, effectTool, resultTexts } from '../session/open-session.ts'
import { countTool, type Made, pendingOf } from './counter.ts'
import { type ResourceSetup, resourceRig, watched } from './resource-rig.ts'

const recorded = () => {
  const store = faultyStore(memoryStore(), () => undefined)
  return { store, groups: () => [...store.appends] }
}

/** What people and the machine said, in order. */
function said(session: Session): readonly string[] {
  return session.history().flatMap(({ role, blocks }) => (role === 'user' ? [textOf(blocks)] : []))
}

async function told(store: Store, id: SessionId) {
  const records = await readRecords(store, id)
  return {
    ends: records.filter(({ body }) => body.includes('"ProcessCompleted"')).map((record) => record.id),
    notices: records.filter(({ kind }) => kind === 'input').map((record) => record.id),
  }
}

describe('a resource that is restored', () => {
  it('tells what it had saved and not told, once, with the same ids, however often it is restored', async () => {
    const { store } = recorded()
    const setup: ResourceSetup = { store, responses: [{ text: 'one' }, { text: 'two' }] }
    const { rig, made } = resourceRig(setup)
    const session = await rig.newSession()
    const { event, notice } = pendingOf(1, session.loopId)
    // a crash between the two: it was saved, and never told
    made[0]?.save({ event, notice })
    await session.shutdown()

    for (let restores = 0; restores < 3; restores += 1) {
      const again = await rig.restoreSession(session.id)
      watched(again)
      await again.waitIdle()
      expect(said(again)).toEqual(['process 1 has ended'])
      await again.shutdown()
    }

    expect(await told(store, session.id)).toEqual({ ends: [event.eventId], notices: [`in/${notice.inputId}`] })
  })

  it.each(['before', 'after'] as const)('tells it once when its process is killed %s an append', async (when) => {
    const { groups, id, loopId, root } = await liveGroups()
    for (let kept = 1; kept <= groups.length; kept += 1) {
      const cut = when === 'before' ? groups.slice(0, kept - 1) : groups.slice(0, kept)
      if (cut.length === 0) continue
      const store = await storeWith(cut, id)
      const { rig } = resourceRig({ store, root, responses: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] })
      const session = await rig.restoreSession(id)
      watched(session)
      await session.waitIdle()
      await session.shutdown()

      const { event, notice } = pendingOf(1, loopId)
      const { ends, notices } = await told(store, id)
      expect(ends, `${kept}`).toEqual([event.eventId])
      expect(notices.filter((record) => record === `in/${notice.inputId}`)).toHaveLength(1)
      expect(said(session).filter((text) => text === notice.text)).toHaveLength(1)
    }
  })

  it('keeps a notice that waits when a restore closes the turn of its loop', async () => {
    const hold = createDeferred<void>()
    const { store, groups } = recorded()
    const made: Made = []
    const tools = [countTool(made), effectTool('hold', () => hold.promise)]
    const gate = interactiveGate({ access: [allowing('allow')] })
    const setup: ResourceSetup = {
      store,
      tools,
      loop: { gate },
      responses: [calling({ id: 'c1', name: 'hold', input: {} })],
    }
    const { rig, root } = resourceRig(setup)
    const session = await rig.newSession()
    const recording = watched(session)
    session.submit('go')
    await recording.waitFor('ToolCallStarted')
    const { notice } = pendingOf(1, session.loopId)
    await made[0]?.services?.notify(notice)
    const cut = groups()
    hold.resolve()

    const left = await storeWith(cut, session.id)
    const { rig: later } = resourceRig({ store: left, root, tools, loop: { gate }, responses: [{ text: 'seen' }] })
    const again = await later.restoreSession(session.id)
    watched(again)
    await again.waitIdle()

    expect(said(again)).toEqual(['go', notice.text])
    expect(again.history().at(-1)).toMatchObject({ role: 'assistant' })
  })

  it('is active before an approved call runs, and before what waits begins', async () => {
    const order: string[] = []
    const hold = createDeferred<void>()
    let holds = false
    const made: Made = []
    const counting = countTool(made, (counter) => {
      counter.hooks.activate = async () => {
        order.push('activating')
        if (holds) await hold.promise
        order.push('active')
      }
    })
    const tools = [counting, effectTool('act', () => void order.push('act'))]
    const gate = interactiveGate({ access: [allowing('ask')] })
    const responses = [calling({ id: 'c1', name: 'act', input: {} }), { text: 'done' }]
    const { rig } = resourceRig({ tools, loop: { gate }, responses })
    const session = await rig.newSession()
    const turn = session.submit('go')
    const { gateId } = await recordSession(session, { since: 0 }).waitFor('PermissionRequested')
    await session.shutdown()
    expect((await turn.result()).status).toBe('waiting')
    holds = true

    const restoring = rig.restoreSession(session.id)
    while (order.length < 3) await new Promise(setImmediate)
    await rig.mailbox(session.id).answer(gateId, { action: 'approve' })
    await rig.mailbox(session.id).submit('more', { noFold: true })
    await made.at(-1)?.services?.notify(pendingOf(1, session.loopId).notice)
    expect(order).toEqual(['activating', 'active', 'activating'])
    hold.resolve()
    const again = await restoring
    watched(again)
    await again.waitIdle()

    expect(order).toEqual(['activating', 'active', 'activating', 'active', 'act'])
    expect(resultTexts(again.history())).toEqual(['act did x'])
  })

  it('leaves an approved call to the next restore when it cannot be activated', async () => {
    const acts: string[] = []
    let fails = false
    const counting = countTool([], (counter) => {
      counter.hooks.activate = async () => {
        if (fails) throw new TypeError('disk')
      }
    })
    const tools = [counting, effectTool('act', (value) => void acts.push(value))]
    const gate = interactiveGate({ access: [allowing('ask')] })
    const responses = [calling({ id: 'c1', name: 'act', input: {} }), { text: 'done' }]
    const { rig } = resourceRig({ tools, loop: { gate }, responses })
    const session = await rig.newSession()
    session.submit('go')
    const { gateId } = await recordSession(session, { since: 0 }).waitFor('PermissionRequested')
    await session.shutdown()
    await rig.mailbox(session.id).answer(gateId, { action: 'approve' })
    fails = true
    await expect(rig.restoreSession(session.id)).rejects.toMatchObject({ code: 'resource_failed' })
    expect(await rig.due()).toEqual([session.id])
    fails = false

    const again = await rig.restoreSession(session.id)
    watched(again)
    await again.waitIdle()

    expect(acts).toEqual(['x'])
    expect(resultTexts(again.history())).toEqual(['act did x'])
  })
})

/** The appends of a session whose resource saves an end, tells it and has its notice answered. */
async function liveGroups(): Promise<{
  readonly groups: readonly AppendRequest[]
  readonly id: SessionId
  readonly loopId: LoopId
  readonly root: string
}> {
  const { store, groups } = recorded()
  const { rig, made, root } = resourceRig({ store, responses: [{ text: 'seen' }] })
  const session = await rig.newSession()
  const recording = watched(session)
  const pending = pendingOf(1, session.loopId)
  made[0]?.save(pending)
  await made[0]?.services?.publish(pending.event)
  await made[0]?.services?.notify(pending.notice)
  await recording.waitFor('SessionIdle')
  await session.shutdown()
  return { groups: groups(), id: session.id, loopId: session.loopId, root }
}
