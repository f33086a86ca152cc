/** The seam to time: something is done again and again. */

/** Calls `tick` every so many milliseconds until the function it gives is called; keeps no process alive. */
export type StartTicker = (tick: () => void, everyMs: number) => () => void

/** A tick that takes long is followed by a rest of so many times its length, which leaves the thread to others. */
const restFactor = 9

/** The real one. */
export const startTimer: StartTicker = (tick, everyMs) => {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const arm = (ms: number) => {
    timer = setTimeout(run, ms)
    timer.unref()
  }
  const run = () => {
    const startedAt = performance.now()
    tick()
    if (!stopped) arm(Math.max(everyMs, restFactor * (performance.now() - startedAt)))
  }
  arm(everyMs)
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
