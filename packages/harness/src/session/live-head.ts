import type { SessionHead } from '../rig/session-head.ts'

/** What changes of a head. */
export type HeadChange = Partial<Pick<SessionHead, 'title' | 'status'>>

/** What lists show of a live session: where it stands now, and what the store was told of that. */
export class LiveHead {
  #now: SessionHead
  #stored: SessionHead | undefined

  /** @param stored - what the store has; absent where that is not known. */
  constructor(now: SessionHead, stored?: SessionHead) {
    this.#now = now
    this.#stored = stored
  }

  get status(): SessionHead['status'] {
    return this.#now.status
  }

  get isTitled(): boolean {
    return this.#now.title !== ''
  }

  /** The head after a change. The first title stays. */
  with(change: HeadChange | undefined): SessionHead {
    if (change === undefined) return this.#now
    const head = { ...this.#now, ...change }
    return this.isTitled ? { ...head, title: this.#now.title } : head
  }

  /** The text with which an append tells the store of a head; nothing when it knows. */
  news(head: SessionHead): string | undefined {
    const isKnown = head.title === this.#stored?.title && head.status === this.#stored.status
    return isKnown ? undefined : JSON.stringify(head)
  }

  /** The store was told of a head. */
  told(head: SessionHead): void {
    this.#stored = head
  }

  /** Something changed: the store is told with the next append, unless it was told already. */
  take(change: HeadChange | undefined): void {
    this.#now = this.with(change)
  }
}
