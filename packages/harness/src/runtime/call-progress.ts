import { headWithin } from '@looprig/core'
import type { Clock } from '../clock/clock.ts'

/** The most often that one call is heard of. */
const intervalMs = 100

const maxTextBytes = 2_048

/**
 * What one running call tells of itself, thinned out: at most one text in 100 ms, the first at once and then the last
 * of each 100 ms. After the end of the call nothing is told.
 */
export class CallProgress {
  readonly #clock: Clock
  readonly #tell: (text: string) => void
  #latest: string | undefined
  #stopTimer: (() => void) | undefined
  #isOver = false

  constructor(clock: Clock, tell: (text: string) => void) {
    this.#clock = clock
    this.#tell = tell
  }

  /** Takes a text of the tool; what is no text is dropped. Never throws. */
  readonly report = (text: string): void => {
    if (this.#isOver || typeof text !== 'string') return
    // one more character than can fit: half of a pair at the cut is never kept
    const shown = headWithin(text.slice(0, maxTextBytes + 1).toWellFormed(), maxTextBytes)
    if (this.#stopTimer !== undefined) {
      this.#latest = shown
      return
    }
    this.#show(shown)
  }

  /** The call has ended. */
  end(): void {
    this.#isOver = true
    this.#stopTimer?.()
    this.#stopTimer = undefined
  }

  #show(text: string): void {
    this.#latest = undefined
    this.#stopTimer = this.#clock.setTimer(intervalMs, () => {
      this.#stopTimer = undefined
      if (this.#latest !== undefined) this.#show(this.#latest)
    })
    this.#tell(text)
  }
}
