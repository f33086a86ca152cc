/** Time as the runtime sees it: for waits and for display, never for order. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls `run` once after `ms` milliseconds, unless the returned function was called before. */
  setTimer(ms: number, run: () => void): () => void
}

/** The clock of this machine. Its timers keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer: (ms, run) => {
    const handle = setTimeout(run, ms)
    return () => clearTimeout(handle)
  },
}

/** Resolves after `ms` milliseconds. */
export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.setTimer(ms, resolve))
}
