import type { GateId } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { permissions } from '../gate/open-gates.ts'
import { resultTexts } from '../session/open-session.ts'
import { ApprovalWorld, decide, told } from './approval-world.ts'

const hour = 3_600_000

describe('a session that was killed while people were asked', () => {
  it('keeps its open gates, which are answered in any order, and runs what was approved once', async () => {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['1', '2', '3'])
    const left = await world.crash(session, store)

    const { session: restored, recording } = await world.restore(left, session.id)
    await decide(restored, '3', 'approve')
    await decide(restored, '1', 'deny')
    await decide(restored, '2', 'approve')
    await restored.waitIdle()

    expect(world.effects).toEqual(['2', '3'])
    expect(recording.events('GateResolved')).toHaveLength(3)
    expect(recording.events('TurnDone')).toHaveLength(1)
    expect(resultTexts(restored.history())).toEqual([
      'permission denied [not authorized]: edit 1',
      'edited 2',
      'edited 3',
    ])
  })

  it('shows the same gates under the same ids as soon as it is restored', async () => {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['a', 'b'])
    const before = permissions(session)
    const left = await world.crash(session, store)

    const { session: restored } = await world.restore(left, session.id)

    expect(permissions(restored)).toEqual(before)
  })

  it('keeps what was answered before, and asks for the rest', async () => {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['a', 'b', 'c'])
    await decide(session, 'a', 'approve')
    await decide(session, 'b', 'deny')
    const left = await world.crash(session, store)

    const { session: restored } = await world.restore(left, session.id)
    const open = permissions(restored).map((gate) => gate.request.summary)
    await decide(restored, 'c', 'approve')
    await restored.waitIdle()

    expect(open).toEqual(['edit c'])
    expect(world.effects).toEqual(['a', 'c'])
  })

  it('runs an approved call that had not begun, without a new question', async () => {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['a', 'b'])
    await decide(session, 'a', 'approve')
    const { gateId } = permissions(session)[0] ?? {}
    const left = await world.crash(session, store)
    await world
      .rig(left)
      .mailbox(session.id)
      .answer(gateId as GateId, { action: 'deny' })

    const { session: restored, recording } = await world.restore(left, session.id)
    await restored.waitIdle()

    expect(world.effects).toEqual(['a'])
    expect(recording.events('PermissionRequested')).toHaveLength(2)
    expect(restored.gates()).toEqual([])
  })

  it.each([false, true])('never runs again what had begun, replay-safe or not: %s', async (replaySafe) => {
    const world = new ApprovalWorld()
    world.replaySafe = replaySafe
    const running = createDeferred<void>()
    world.afterEffect = () => {
      running.resolve()
      return new Promise(() => undefined)
    }
    const { session, store } = await world.waiting(['a'])
    await decide(session, 'a', 'approve')
    await running.promise
    const left = await world.crash(session, store)
    world.afterEffect = () => undefined

    const { session: restored } = await world.restore(left, session.id)
    await restored.waitIdle()

    expect(world.effects).toEqual(['a'])
    expect(resultTexts(restored.history())[0]).toMatch(/^outcome_unknown/)
  })

  it('judges every call once per process, however many answers come', async () => {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['a', 'b'])
    await decide(session, 'a', 'approve')
    const first = world.evaluations.splice(0)
    const left = await world.crash(session, store)

    const { session: restored } = await world.restore(left, session.id)
    await decide(restored, 'b', 'approve')
    await restored.waitIdle()

    expect(first).toEqual(['a', 'b'])
    expect(world.evaluations).toEqual(['a', 'b'])
  })

  it('restores as often as it is killed, and writes nothing for it', async () => {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['a', 'b'])
    await decide(session, 'a', 'approve')
    let left = await world.crash(session, store)
    const before = await told(left, session.id)
    for (let times = 0; times < 3; times += 1) {
      const { session: again } = await world.restore(left, session.id)
      left = await world.crash(again, left)
    }
    const after = await told(left, session.id)

    const { session: restored } = await world.restore(left, session.id)
    await decide(restored, 'b', 'deny')
    await restored.waitIdle()

    expect(after).toEqual(before)
    expect(world.effects).toEqual(['a'])
  })
})

describe('what was approved before a restart', () => {
  /** Approves `a` of two calls, kills the owner, lets `change` happen, restores and denies the other call. */
  async function approveThen(change: (world: ApprovalWorld) => void, options = {}) {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['a', 'b'])
    await decide(session, 'a', 'approve')
    const left = await world.crash(session, store)
    change(world)
    const { session: restored, recording } = await world.restore(left, session.id, options)
    await decide(restored, 'b', 'deny').catch(() => undefined)
    await restored.waitIdle()
    return { world, restored, recording, result: resultTexts(restored.history())[0] }
  }

  it('does not run when the artifact would be another', async () => {
    const { world, result } = await approveThen((changed) => {
      changed.file = 'edited by somebody else'
    })

    expect(world.effects).toEqual([])
    expect(result).toMatch(/^stale/)
  })

  it('does not run when the confinement is another', async () => {
    const { world, result } = await approveThen((changed) => {
      changed.fingerprint = undefined
    })

    expect(world.effects).toEqual([])
    expect(result).toMatch(/^stale/)
  })

  it('does not run when the preview would be another, though the artifact is the same', async () => {
    const { world, result } = await approveThen((changed) => {
      changed.preview = { kind: 'diff', text: '-all' }
    })

    expect(world.effects).toEqual([])
    expect(result).toMatch(/^stale/)
  })

  it('does not run when its tool is gone', async () => {
    const { world, result, recording } = await approveThen(() => undefined, { tools: [] })

    expect(world.effects).toEqual([])
    expect(result).toMatch(/^stale/)
    expect(recording.events('TurnDone')).toHaveLength(1)
  })

  it.each<[string, (world: ApprovalWorld) => void, RegExp]>([
    ['a rule denies it now', (world) => world.book.denied.add('a'), /not authorized/],
    [
      'configuration denies it now',
      (world) => {
        world.access = ({ match }) => (match === 'a' ? 'deny' : 'ask')
      },
      /out of scope/,
    ],
    [
      'the rules cannot be read now',
      (world) => {
        world.book.denies = ({ match }) => {
          if (match === 'a') throw new Error('away')
          return undefined
        }
      },
      /unavailable/,
    ],
  ])('does not run when %s', async (_name, change, text) => {
    const { world, result, recording } = await approveThen(change)

    expect(world.effects).toEqual([])
    expect(result).toMatch(text)
    expect(recording.events('PermissionDecided')).toMatchObject([{ effect: 'deny' }])
  })

  it('does not run when it was approved too long ago, by the store’s time', async () => {
    const { world, result } = await approveThen((later) => {
      later.now += hour + 1
    })

    expect(world.effects).toEqual([])
    expect(result).toMatch(/^approval_expired/)
  })

  it('runs at the end of its time, and for as long as the rig says', async () => {
    const onTime = await approveThen((later) => {
      later.now += hour
    })
    const long = await approveThen(
      (later) => {
        later.now += 24 * hour
      },
      { approvalTtlMs: 48 * hour },
    )

    expect([onTime.world.effects, long.world.effects]).toEqual([['a'], ['a']])
  })

  it('does not run when it needs more now than was shown', async () => {
    const world = new ApprovalWorld()
    world.access = ({ match }) => (match === 'always' ? 'allow' : 'ask')
    const tool = world.editTool(['always'])
    const { session, store } = await world.waiting(['a', 'b'], { tools: [tool] })
    await decide(session, 'a', 'approve')
    const left = await world.crash(session, store)
    world.access = () => 'ask'

    const { session: restored } = await world.restore(left, session.id, { tools: [tool] })
    await decide(restored, 'b', 'approve')
    await restored.waitIdle()

    expect(world.effects).toEqual([])
    expect(resultTexts(restored.history())).toEqual([expect.stringMatching(/^stale/), expect.stringMatching(/^stale/)])
  })
})

describe('a gate that was open at a restart', () => {
  it('stays open and gives `stale` when what would run has changed', async () => {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['a'])
    const left = await world.crash(session, store)
    world.file = 'edited by somebody else'

    const { session: restored } = await world.restore(left, session.id)
    const open = permissions(restored).length
    await decide(restored, 'a', 'approve')
    await restored.waitIdle()

    expect(open).toBe(1)
    expect(world.effects).toEqual([])
    expect(resultTexts(restored.history())[0]).toMatch(/^stale/)
  })

  it('is denied by a rule that was added while nobody was there, before an answer counts', async () => {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['a'])
    const { gateId } = permissions(session)[0] ?? {}
    const left = await world.crash(session, store)
    world.book.denied.add('a')

    const { session: restored, recording } = await world.restore(left, session.id)
    const late = await restored.answer(gateId as GateId, { action: 'approve' }).catch((error: unknown) => error)
    await restored.waitIdle()

    expect(late).toMatchObject({ code: 'already_resolved' })
    expect(world.effects).toEqual([])
    expect(recording.events('GateResolved')).toMatchObject([
      { reason: 'denied', denial: 'rule_denied', rule: { match: 'a' } },
    ])
  })

  it('closes by a rule that was saved while nobody was there, and its call runs', async () => {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['a'])
    const left = await world.crash(session, store)
    world.book.allowed.add('a')

    const { session: restored, recording } = await world.restore(left, session.id)
    await restored.waitIdle()

    expect(world.effects).toEqual(['a'])
    expect(recording.events('GateResolved')).toMatchObject([{ reason: 'rule' }])
  })

  it('is not closed by a rule when what would run has changed', async () => {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['a'])
    const left = await world.crash(session, store)
    world.book.allowed.add('a')
    world.file = 'edited by somebody else'

    const { session: restored } = await world.restore(left, session.id)

    expect(restored.gates()).toHaveLength(1)
    expect(world.effects).toEqual([])
  })

  it('is denied where nobody is there to ask, and the turn ends', async () => {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['a'])
    const left = await world.crash(session, store)

    const { session: restored, recording } = await world.restore(left, session.id, { headless: true })
    await restored.waitIdle()
    await recording.waitFor('TurnDone')

    expect(world.effects).toEqual([])
    expect(recording.events('GateResolved')).toMatchObject([{ reason: 'denied', denial: 'approval_required' }])
    expect(resultTexts(restored.history())).toEqual(['permission denied [not authorized]: edit a'])
  })

  it('is over when its time passed while nobody was there: an answer at once comes too late', async () => {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['a'], { timeoutMs: hour })
    const { gateId } = permissions(session)[0] ?? {}
    const left = await world.crash(session, store)
    world.now += hour
    const unowned = await world
      .rig(left)
      .mailbox(session.id)
      .answer(gateId as GateId, { action: 'approve' })
      .catch((error: unknown) => error)

    const { session: restored, recording } = await world.restore(left, session.id)
    const late = await restored.answer(gateId as GateId, { action: 'approve' }).catch((error: unknown) => error)
    await restored.waitIdle()

    expect(unowned).toMatchObject({ code: 'gate_expired' })
    expect(late).toMatchObject({ code: 'already_resolved', action: undefined })
    expect(world.effects).toEqual([])
    expect(recording.events('GateResolved')).toMatchObject([{ reason: 'timeout' }])
  })

  it('keeps the end that it had, whatever the gate of the new process says', async () => {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['a'], { timeoutMs: hour })
    const [before] = permissions(session)
    const left = await world.crash(session, store)
    world.now += hour / 2

    const { session: restored } = await world.restore(left, session.id, { timeoutMs: 10 * hour })

    expect(permissions(restored)[0]?.expiresAtMs).toBe(before?.expiresAtMs)
  })

  it('has no preview any more', async () => {
    const world = new ApprovalWorld()
    world.preview = { kind: 'diff', text: '+PREVIEW' }
    const { session, store } = await world.waiting(['a'])
    const [before] = permissions(session)
    const left = await world.crash(session, store)

    const { session: restored } = await world.restore(left, session.id)
    const [after] = permissions(restored)
    await decide(restored, 'a', 'approve')
    await restored.waitIdle()

    expect(before?.preview).toEqual({ kind: 'diff', text: '+PREVIEW' })
    expect(after).not.toHaveProperty('preview')
    expect(world.effects).toEqual(['a'])
    expect(JSON.stringify(restored.history())).not.toContain('PREVIEW')
  })
})

describe('calls beside a gate at a restart', () => {
  it('run once, by what the policy says now', async () => {
    const world = new ApprovalWorld()
    world.access = ({ match }) => (match === 'a' ? 'ask' : 'allow')
    const { session, store } = await world.waiting(['a', 'free', 'then'])
    const left = await world.crash(session, store)
    world.access = ({ match }) => (match === 'free' ? 'allow' : match === 'a' ? 'ask' : 'deny')

    const { session: restored } = await world.restore(left, session.id)
    await decide(restored, 'a', 'approve')
    await restored.waitIdle()

    expect(world.effects).toEqual(['a', 'free'])
    expect(resultTexts(restored.history())[2]).toMatch(/out of scope/)
  })

  it('open a gate of their own when the policy asks now', async () => {
    const world = new ApprovalWorld()
    world.access = ({ match }) => (match === 'a' ? 'ask' : 'allow')
    const { session, store } = await world.waiting(['a', 'free'])
    const left = await world.crash(session, store)
    world.access = () => 'ask'

    const { session: restored, recording } = await world.restore(left, session.id)
    await recording.waitFor('PermissionRequested', 2)
    await decide(restored, 'free', 'approve')
    await decide(restored, 'a', 'deny')
    await restored.waitIdle()

    expect(world.effects).toEqual(['free'])
  })
})
