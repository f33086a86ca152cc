/**
 * Resolves with what the promise came to, or with `undefined` as soon as the signal aborts: nobody who ignores the
 * signal can hold up a turn. What comes later is dropped, a rejection too, and no listener stays behind.
 */
export function untilAborted<T>(promise: T | PromiseLike<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}
