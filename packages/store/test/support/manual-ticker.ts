/** A ticker that ticks when a test says so. */
import type { StartTicker } from '../../src/sqlite/ticker.ts'

/** What a test has in its hand. */
export interface ManualTicker {
  readonly start: StartTicker
  /** How many were started and not stopped. */
  readonly running: number
  tick(): void
}

export function manualTicker(): ManualTicker {
  const ticks = new Set<() => void>()
  return {
    start(tick) {
      const own = () => tick()
      ticks.add(own)
      return () => void ticks.delete(own)
    },
    get running() {
      return ticks.size
    },
    tick() {
      for (const tick of ticks) tick()
    },
  }
}
