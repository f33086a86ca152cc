import type { Clock } from '../clock/clock.ts'

/** Waits for some work, and no longer than `ms`: says whether it ended in time. What it throws in time is thrown. */
export async function inTime(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  let cancel = () => {}
  const late = new Promise<false>((resolve) => {
    cancel = clock.setTimer(ms, () => resolve(false))
  })
  try {
    return await Promise.race([work.then(() => true as const), late])
  } finally {
    cancel()
    // nobody waits for it any more
    work.catch(() => undefined)
  }
}
