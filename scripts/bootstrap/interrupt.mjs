/** Ctrl-C during the set-up: clean up first, then end by that signal. */

const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])

/**
 * Runs work that a signal aborts. Once the work has cleaned up, the signal is raised again, so that the parent sees it.
 *
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function endedBySignals(work) {
  const controller = new AbortController()
  /** @type {NodeJS.Signals | undefined} */
  let received
  /** @param {NodeJS.Signals} name */
  const listener = (name) => {
    received ??= name
    controller.abort()
  }
  for (const name of signals) process.on(name, listener)
  try {
    return await work(controller.signal)
  } finally {
    for (const name of signals) process.off(name, listener)
    if (received) process.kill(process.pid, received)
  }
}
