/** Waiting for other writers, always within a limit and never inside SQLite, where it would stop the event loop. */
import { setTimeout as delay } from 'node:timers/promises'

import { isBusy } from './driver.ts'

const longestPauseMs = 25

/** Runs `work` until it is not busy. The last try is at or after `deadline` (of `performance.now()`); it throws. */
export async function retryBusy<T>(work: () => T, deadline: number): Promise<T> {
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const last = performance.now() >= deadline
    try {
      return work()
    } catch (error) {
      if (last || !isBusy(error)) throw error
    }
    await delay(pauseMs)
  }
}

/** The same for the opening of a store, which is synchronous: it does stop the event loop. */
export function retryBusySync<T>(work: () => T, deadline: number): T {
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const last = performance.now() >= deadline
    try {
      return work()
    } catch (error) {
      if (last || !isBusy(error)) throw error
    }
    Atomics.wait(sleeper, 0, 0, pauseMs)
  }
}
