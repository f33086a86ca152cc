import { webError } from '../codes.ts'

/** Bounds one call: as a whole, and in each wait for the other side. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal
  readonly #whole: NodeJS.Timeout
  #wait: NodeJS.Timeout | undefined
  readonly #interrupt = () => this.#controller.abort(webError('interrupted', 'the request was interrupted'))

  /** @param outer - its abort ends the call with `interrupted`. */
  constructor(outer: AbortSignal, wholeMs: number) {
    this.#outer = outer
    this.#whole = this.#timer(wholeMs, `no whole answer came within ${seconds(wholeMs)}`)
    if (outer.aborted) this.#interrupt()
    else outer.addEventListener('abort', this.#interrupt, { once: true })
  }

  /** Aborts, with the error as its reason, when a bound is passed or the call is interrupted. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Begins another kind of wait. */
  expect(what: string, withinMs: number): void {
    clearTimeout(this.#wait)
    this.#wait = this.#timer(withinMs, `${what} did not come within ${seconds(withinMs)}`)
  }

  /** Something came: the same wait once more, from now. */
  progressed(): void {
    this.#wait?.refresh()
  }

  /** Waits for what cannot be stopped, no longer than the call lasts. */
  async race<T>(work: Promise<T>): Promise<T> {
    this.signal.throwIfAborted()
    return new Promise<T>((resolve, reject) => {
      const stop = () => reject(this.signal.reason)
      this.signal.addEventListener('abort', stop, { once: true })
      work.then(resolve, reject).finally(() => this.signal.removeEventListener('abort', stop))
    })
  }

  close(): void {
    clearTimeout(this.#whole)
    clearTimeout(this.#wait)
    this.#outer.removeEventListener('abort', this.#interrupt)
  }

  #timer(ms: number, message: string): NodeJS.Timeout {
    return setTimeout(() => this.#controller.abort(webError('timed_out', message)), ms)
  }
}

function seconds(ms: number): string {
  return `${ms / 1_000} s`
}
