/** One watcher of one session: of all the growth that it has not been told yet only the latest tip is kept. */
import type { StoreError } from '../contract/errors.ts'

/** Told by the store, asked by one consumer. */
export class TipWatch {
  #told: number
  #tip: number
  #ended = false
  #failure: StoreError | undefined
  #wake: (() => void) | undefined

  constructor(after: number) {
    this.#told = after
    this.#tip = after
  }

  /** The session has grown to `tip`, maybe long ago. */
  grow(tip: number): void {
    if (tip <= this.#tip) return
    this.#tip = tip
    this.#wake?.()
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  fail(error: StoreError): void {
    this.#failure ??= error
    this.#wake?.()
  }

  /** The next tip to tell, or `undefined` at the end. One call at a time. */
  async next(): Promise<number | undefined> {
    for (;;) {
      if (this.#ended) return undefined
      if (this.#failure !== undefined) throw this.#failure
      if (this.#tip > this.#told) {
        this.#told = this.#tip
        return this.#told
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
