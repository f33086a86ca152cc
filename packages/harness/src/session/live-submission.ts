import type { InputId, TurnId } from '@looprig/core'
import type { Delivery, Event } from '../event/event.ts'
import { eventRegistry } from '../event/registry.ts'
import type { Hub } from '../hub/hub.ts'
import type { LiveSubscriber } from '../hub/subscription.ts'
import type { InputTracker } from './input-tracker.ts'
import type { Submission, TurnResult } from './submission.ts'

/** A submission of a live session: the events of one input, and its outcome. */
export class LiveSubmission implements Submission {
  readonly inputId: InputId
  readonly #tracker: InputTracker
  readonly #events: LiveSubscriber
  #turnId: TurnId | undefined

  /** @param turnId - the input's turn, when it runs already. */
  constructor(tracker: InputTracker, hub: Hub, turnId?: TurnId) {
    this.inputId = tracker.inputId
    this.#tracker = tracker
    this.#turnId = turnId
    this.#events = hub.watch((event) => this.#isMine(event))
    // whatever the outcome is, nothing more comes: what was buffered stays readable
    tracker.result.finally(() => this.end()).catch(() => undefined)
  }

  get accepted(): Promise<void> {
    return this.#tracker.accepted
  }

  result(): Promise<TurnResult> {
    return this.#tracker.result
  }

  [Symbol.asyncIterator](): AsyncIterator<Delivery> {
    return this.#events
  }

  /** Ends the iteration after what is buffered. */
  end(): void {
    this.#events.finish()
  }

  /** An event of this input, or of the turn that it began or joined. */
  #isMine(event: Event): boolean {
    if ('inputId' in event && event.inputId === this.inputId) {
      if (event.type === 'TurnStarted' || event.type === 'TurnFoldedInto') this.#turnId = event.turnId
      return true
    }
    if (!('turnId' in event) || eventRegistry[event.type].scope !== 'loop') return false
    return this.#turnId !== undefined && event.turnId === this.#turnId
  }
}
