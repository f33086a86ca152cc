import type { Clock } from '../clock/clock.ts'

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /** How many timers wait. */
  readonly pending: number
  /**
   * Moves time on by `ms` and runs every timer that comes due, in order of time, those included that were set
   * meanwhile. Before each and at the end, what is on its way gets a turn of the event loop.
   */
  advance(ms: number): Promise<void>
  /** Resolves when a timer waits; at once when one does. */
  whenPending(): Promise<void>
}

interface Timer {
  readonly dueAt: number
  readonly run: () => void
}

/** Makes a clock for tests. `startMs` is its first time, in milliseconds since 1970. */
export function fakeClock(startMs = 1_700_000_000_000): FakeClock {
  return new ManualClock(startMs)
}

class ManualClock implements FakeClock {
  readonly #timers = new Set<Timer>()
  readonly #waiters = new Set<() => void>()
  #now: number

  constructor(startMs: number) {
    this.#now = startMs
  }

  now(): number {
    return this.#now
  }

  setTimer(ms: number, run: () => void): () => void {
    const timer = { dueAt: this.#now + ms, run }
    this.#timers.add(timer)
    for (const wake of this.#waiters) wake()
    this.#waiters.clear()
    return () => this.#timers.delete(timer)
  }

  get pending(): number {
    return this.#timers.size
  }

  async advance(ms: number): Promise<void> {
    const until = this.#now + ms
    await eventLoopTurn()
    for (let timer = this.#next(until); timer !== undefined; timer = this.#next(until)) {
      this.#timers.delete(timer)
      this.#now = Math.max(this.#now, timer.dueAt)
      timer.run()
      await eventLoopTurn()
    }
    this.#now = Math.max(this.#now, until)
  }

  async whenPending(): Promise<void> {
    if (this.#timers.size > 0) return
    await new Promise<void>((resolve) => this.#waiters.add(resolve))
  }

  /** The earliest timer that is due; of equal ones the first that was set. */
  #next(until: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.dueAt <= until && (next === undefined || timer.dueAt < next.dueAt)) next = timer
    }
    return next
  }
}

function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
