import { describe, expect, it, onTestFinished } from 'vitest'

import { startTimer } from '../../src/sqlite/ticker.ts'

describe('startTimer', () => {
  it('ticks until it is stopped, also by a tick', async () => {
    let ticks = 0
    await new Promise<void>((resolve) => {
      const stop = startTimer(() => {
        ticks += 1
        if (ticks < 3) return
        stop()
        // Armed before a fourth tick would be due, so it comes after that one.
        setTimeout(resolve, 30)
      }, 1)
    })

    expect(ticks).toBe(3)
  })

  it('rests nine times as long as a tick took', async () => {
    const endedAt: number[] = []
    const startedAt: number[] = []
    await new Promise<void>((resolve) => {
      const stop = startTimer(() => {
        startedAt.push(performance.now())
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
        endedAt.push(performance.now())
        if (startedAt.length === 2) resolve()
      }, 1)
      onTestFinished(stop)
    })

    expect((startedAt[1] ?? 0) - (endedAt[0] ?? 0)).toBeGreaterThan(150)
  })
})
