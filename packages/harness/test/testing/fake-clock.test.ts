import { describe, expect, it } from 'vitest'
import { fakeClock } from '../../src/testing.ts'

describe('fakeClock', () => {
  it('runs what is due, in order of time, at its time', async () => {
    const clock = fakeClock(1_000)
    const runs: [string, number][] = []
    const timer = (name: string, ms: number) => clock.setTimer(ms, () => runs.push([name, clock.now()]))
    timer('late', 30)
    timer('first', 10)
    timer('second', 10)
    timer('never', 31)

    await clock.advance(30)

    expect(runs).toEqual([
      ['first', 1_010],
      ['second', 1_010],
      ['late', 1_030],
    ])
    expect(clock.now()).toBe(1_030)
    expect(clock.pending).toBe(1)
  })

  it('runs timers that were set meanwhile, behind promises too', async () => {
    const clock = fakeClock(0)
    const at: number[] = []
    const setAnother = () => clock.setTimer(10, () => at.push(clock.now()))
    clock.setTimer(10, () => void Promise.resolve().then(setAnother))

    await clock.advance(20)

    expect(at).toEqual([20])
  })

  it('forgets a timer that was cancelled', async () => {
    const clock = fakeClock()
    let ran = false
    const cancel = clock.setTimer(1, () => {
      ran = true
    })

    cancel()
    await clock.advance(1)

    expect(ran).toBe(false)
    expect(clock.pending).toBe(0)
  })

  it('tells when a timer waits', async () => {
    const clock = fakeClock()
    const pending = clock.whenPending()

    clock.setTimer(1, () => undefined)

    await pending
    await clock.whenPending()
    expect(clock.pending).toBe(1)
  })
})
