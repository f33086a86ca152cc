import type { Clock } from '../clock/clock.ts'
import { untilAborted } from './until-aborted.ts'

/** How long a gate, and what is behind it, may take for one word: nobody can answer for it. */
export const maxGateMs = 30_000

/**
 * Resolves with what the promise came to, or with `undefined` when the signal aborts or `ms` are over: what others wrote
 * may hang, and must not hold up a turn. What comes later is dropped. A promise that settles soon costs no timer.
 */
export async function withinBound<T>(
  clock: Clock,
  ms: number,
  promise: T | PromiseLike<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  let stop = () => {}
  const late = new Promise<undefined>((resolve) => {
    const look = setImmediate(() => {
      stop = clock.setTimer(ms, () => resolve(undefined))
    })
    stop = () => clearImmediate(look)
  })
  try {
    return await Promise.race([untilAborted(promise, signal), late])
  } finally {
    stop()
  }
}
