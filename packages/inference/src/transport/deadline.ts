import { InferenceError } from '../failure/errors.ts'

/** Bounds one request: as a whole, and in each wait for the other side. The time its reader takes does not count. */
export class Deadline {
  readonly #controller = new AbortController()
  #whole: NodeJS.Timeout
  #endsAt: number
  #wait: NodeJS.Timeout | undefined
  #waiting = false

  constructor(wholeMs: number) {
    this.#endsAt = performance.now() + wholeMs
    this.#whole = this.#startWhole(wholeMs)
  }

  /** Aborts, with the `timeout` error as reason, when a bound is passed. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Begins another kind of wait. */
  expect(what: string, withinMs: number): void {
    clearTimeout(this.#wait)
    this.#waiting = true
    this.#wait = setTimeout(() => {
      if (this.#waiting) this.#end(`${what} did not come within ${withinMs} ms`)
    }, withinMs)
  }

  /** Something came; nothing is waited for until `resume`. */
  pause(): void {
    this.#waiting = false
  }

  /** The same wait once more, from now. */
  resume(): void {
    this.#waiting = true
    this.#wait?.refresh()
  }

  /** Leaves the whole at most this much more time; never gives it more than it had. */
  shorten(leftMs: number): void {
    const endsAt = performance.now() + leftMs
    if (endsAt >= this.#endsAt) return
    this.#endsAt = endsAt
    clearTimeout(this.#whole)
    this.#whole = this.#startWhole(leftMs)
  }

  close(): void {
    clearTimeout(this.#whole)
    clearTimeout(this.#wait)
  }

  #startWhole(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#end(`the response was not complete within ${ms} ms`), ms)
  }

  #end(message: string): void {
    this.#controller.abort(new InferenceError('timeout', message))
  }
}
