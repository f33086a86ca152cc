import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { fakeClock } from '../../src/testing.ts'
import { resultTexts } from '../session/open-session.ts'
import { ApprovalWorld, decide } from './approval-world.ts'

describe('a restore', () => {
  it('waits 30 seconds for a rule source that never answers, for all calls at once, then denies', async () => {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['a', 'b', 'c'])
    const left = await world.crash(session, store)
    world.book.denies = () => new Promise(() => undefined) as never
    const clock = fakeClock()
    const restoring = world.restore(left, session.id, { clock })
    await clock.whenPending()

    await clock.advance(30_000)
    const { session: restored, recording } = await restoring
    await restored.waitIdle()

    expect(world.effects).toEqual([])
    expect(recording.events('GateResolved')).toMatchObject(Array(3).fill({ reason: 'denied', denial: 'access_error' }))
    expect(clock.pending).toBe(0)
  })

  it('leaves the gate of a tool that cannot be prepared any more open, and gives `stale` for an approval', async () => {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['a'])
    const left = await world.crash(session, store)
    Object.defineProperty(world, 'file', {
      get: () => {
        throw new Error('SENTINEL')
      },
    })

    const { session: restored, recording } = await world.restore(left, session.id)
    await decide(restored, 'a', 'approve')
    await restored.waitIdle()

    expect(world.effects).toEqual([])
    expect(resultTexts(restored.history())[0]).toMatch(/^stale/)
    expect(JSON.stringify(recording.deliveries)).not.toContain('SENTINEL')
  })

  it('ends a restored gate in the store’s time, whatever the clock of the new process says', async () => {
    const world = new ApprovalWorld()
    const { session, store } = await world.waiting(['a'], { timeoutMs: 60_000 })
    const left = await world.crash(session, store)
    const clock = fakeClock(9_999_999_999_999)
    const { session: restored, recording } = await world.restore(left, session.id, { clock })

    await clock.advance(3_600_000)
    await nextTurn()
    const early = restored.gates().length
    world.now += 60_000
    await clock.advance(60_000)
    await restored.waitIdle()

    expect(early).toBe(1)
    expect(recording.events('GateResolved')).toMatchObject([{ reason: 'timeout' }])
    expect(world.effects).toEqual([])
  })
})
