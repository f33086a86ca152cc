import type { InputId } from '@looprig/core'
import type { InputTracker } from './input-tracker.ts'

/** How many inputs that have their outcome are kept; the journal knows the others. */
const maxSettled = 256

/** What a session remembers of its inputs: all that have no outcome yet, and the last of the others. */
export class InputMemory {
  readonly #trackers = new Map<InputId, InputTracker>()
  /** Those with an outcome, the oldest first. */
  readonly #settled = new Set<InputTracker>()

  /** @param known - the inputs that the journal knows, the oldest first. */
  constructor(known: readonly InputTracker[]) {
    for (const tracker of known) {
      this.add(tracker)
      if (tracker.isSettled) this.settled(tracker)
    }
  }

  find(inputId: InputId): InputTracker | undefined {
    return this.#trackers.get(inputId)
  }

  all(): readonly InputTracker[] {
    return [...this.#trackers.values()]
  }

  /** Adds one, in the place of another with its id. */
  add(tracker: InputTracker): void {
    this.#trackers.set(tracker.inputId, tracker)
  }

  /** Takes one out; another with its id stays. */
  remove(tracker: InputTracker): void {
    if (this.#trackers.get(tracker.inputId) === tracker) this.#trackers.delete(tracker.inputId)
  }

  /** One has its outcome: it may be forgotten when more of them came. */
  settled(tracker: InputTracker): void {
    this.#settled.add(tracker)
    const [oldest] = this.#settled.size > maxSettled ? this.#settled : []
    if (oldest === undefined) return
    this.#settled.delete(oldest)
    this.remove(oldest)
  }
}
