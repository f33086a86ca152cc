/** What waits for the abort of a signal: one listener for all of them, since adding one costs more than the wait. */
const waitsOf = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Resolves with what the promise came to, or with `undefined` as soon as the signal aborts: nobody who ignores the
 * signal can hold up a turn. What comes later is dropped, a rejection too, and nothing stays behind.
 */
export function untilAborted<T>(promise: T | PromiseLike<T>, signal: AbortSignal): Promise<T | undefined> {
  const waits = waitsOf.get(signal) ?? watch(signal)
  return new Promise((resolve, reject) => {
    const endWait = () => resolve(undefined)
    if (signal.aborted) endWait()
    else waits.add(endWait)
    Promise.resolve(promise).then(
      (value) => {
        waits.delete(endWait)
        resolve(value)
      },
      (error: unknown) => {
        waits.delete(endWait)
        reject(error)
      },
    )
  })
}

function watch(signal: AbortSignal): Set<() => void> {
  const waits = new Set<() => void>()
  waitsOf.set(signal, waits)
  const endAll = () => {
    for (const endWait of waits) endWait()
    waits.clear()
  }
  signal.addEventListener('abort', endAll, { once: true })
  return waits
}
