import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { resultTexts } from '../session/open-session.ts'
import { ApprovalWorld, decide, told } from './approval-world.ts'

/** Answers `approve_always` and kills the owner while the rule is written, before or after it is there. */
async function killInWrite(moment: 'before' | 'after') {
  const world = new ApprovalWorld()
  const writing = createDeferred<void>()
  world.book.beforeWrite = () => {
    if (moment === 'after') world.book.allowed.add('a')
    writing.resolve()
    return new Promise(() => undefined)
  }
  const { session, store } = await world.waiting(['a'])
  await decide(session, 'a', 'approve_always')
  await writing.promise
  const left = await world.crash(session, store)
  world.book.beforeWrite = () => undefined
  return { world, left, id: session.id }
}

describe('an approve_always whose owner was killed', () => {
  it.each(['before', 'after'] as const)(
    '%s the rule was there: the rule is there once, and the call runs once',
    async (moment) => {
      const { world, left, id } = await killInWrite(moment)

      const { session: restored, recording } = await world.restore(left, id)
      await restored.waitIdle()

      expect([...world.book.allowed]).toEqual(['a'])
      expect(world.book.writes.at(-1)).toMatchObject([{ match: 'a' }])
      expect(world.effects).toEqual(['a'])
      expect(recording.events('PermissionRequested')).toHaveLength(1)
      expect(recording.events('GateResolved')).toHaveLength(1)
    },
  )

  it('once spent, never brings back a rule that a person deleted', async () => {
    const world = new ApprovalWorld()
    const running = createDeferred<void>()
    world.afterEffect = () => {
      running.resolve()
      return new Promise(() => undefined)
    }
    const { session, store } = await world.waiting(['a'])
    await decide(session, 'a', 'approve_always')
    await running.promise
    const left = await world.crash(session, store)
    world.book.allowed.delete('a')
    const writes = world.book.writes.length

    const { session: restored } = await world.restore(left, session.id)
    await restored.waitIdle()

    expect(world.book.writes).toHaveLength(writes)
    expect([...world.book.allowed]).toEqual([])
    expect(world.effects).toEqual(['a'])
  })

  it('saves nothing when what would run has changed', async () => {
    const { world, left, id } = await killInWrite('before')
    world.file = 'edited by somebody else'
    const writes = world.book.writes.length

    const { session: restored } = await world.restore(left, id)
    await restored.waitIdle()

    expect(world.book.writes).toHaveLength(writes)
    expect([...world.book.allowed]).toEqual([])
    expect(resultTexts(restored.history())[0]).toMatch(/^stale/)
  })

  it('does not run when its rule cannot be written again', async () => {
    const { world, left, id } = await killInWrite('before')
    world.book.beforeWrite = () => {
      throw new Error('read-only')
    }

    const { session: restored } = await world.restore(left, id)
    await restored.waitIdle()

    expect(world.effects).toEqual([])
    expect(resultTexts(restored.history())[0]).toMatch(/^rule_not_saved/)
  })

  it('closes, once its rule is saved again, the other gates that the rule meets', async () => {
    const world = new ApprovalWorld()
    const family = world.editTool(['family'])
    world.access = ({ match }) => (match === 'family' ? 'ask' : 'allow')
    const { session, store } = await world.waiting(['a', 'b'], { tools: [family] })
    const left = await world.crash(session, store)
    world.book.allowed.add('family')

    const { session: restored, recording } = await world.restore(left, session.id, { tools: [family] })
    await restored.waitIdle()

    expect(recording.events('GateResolved')).toMatchObject([{ reason: 'rule' }, { reason: 'rule' }])
    expect(world.effects).toEqual(['a', 'b'])
  })

  it('names its rules in the journal before they are written, and nothing else of them', async () => {
    const { left, id, world } = await killInWrite('before')

    expect(await told(left, id)).toEqual([
      'SessionStarted',
      'LoopStarted',
      'in',
      'TurnStarted',
      'SessionActive',
      'step',
      'PermissionRequested',
      'GateResolved answered',
    ])
    expect(world.effects).toEqual([])
  })
})
