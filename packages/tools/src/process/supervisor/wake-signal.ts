/** Wakes whoever waits for news. Nobody polls, and nothing is left behind by a wait that was given up. */
export class WakeSignal {
  readonly #waiting = new Set<() => void>()

  wake(): void {
    for (const waiting of [...this.#waiting]) waiting()
  }

  /** Resolves at the next news of any, or when the signal is aborted. Look, then wait, with no `await` in between. */
  static next(sources: readonly WakeSignal[], signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        for (const source of sources) source.#waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      for (const source of sources) source.#waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true })
      if (signal.aborted) wake()
    })
  }
}
