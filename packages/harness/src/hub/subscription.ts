import type { StoredRecord } from '@looprig/store'
import { JournalError, SubscriptionLossError } from '../error/errors.ts'
import type { Delivery, Event } from '../event/event.ts'
import { Serial } from '../session/serial.ts'

/** A reader of a session's events. Iterate it once; leave the loop or call `close` to end it. */
export interface Subscription extends AsyncIterableIterator<Delivery, undefined> {
  /** Ends it; what is buffered is dropped. Safe to call again. */
  close(): void
}

/** The most events that wait for one live subscriber. */
export const subscriberBuffer = 256

/** Where a subscriber gets what it asks for. */
export interface SubscriptionSource {
  /** The seq up to which everything was delivered. */
  lastSeq(): number
  /** One page of records after `seq`, with the events of the public ones. */
  readPage(after: number): Promise<readonly { readonly record: StoredRecord; readonly event: Event | undefined }[]>
  /** Begins live delivery; where nothing more comes, it finishes the subscriber at once. */
  attach(subscriber: LiveSubscriber): void
  /** Ends live delivery. */
  detach(subscriber: LiveSubscriber): void
}

/**
 * One subscriber: journal pages at its own pace until it has caught up, then live. The switch happens in one tick, and
 * live events at or below the cursor are dropped, so there is no gap and no repeat.
 */
export class LiveSubscriber implements Subscription {
  readonly #source: SubscriptionSource
  readonly #accepts: (event: Event) => boolean
  readonly #reads = new Serial()
  #buffer: Delivery[] = []
  #wake: (() => void) | undefined
  #cursor: number
  #phase: 'journal' | 'live' | 'ended' = 'journal'
  #end: { readonly error: Error | undefined } | undefined

  constructor(source: SubscriptionSource, accepts: (event: Event) => boolean, since: number | undefined) {
    this.#source = source
    this.#accepts = accepts
    this.#cursor = since ?? source.lastSeq()
    this.#goLiveWhenCaughtUp()
  }

  /** Takes a live event. Never blocks and never throws. */
  push(delivery: Delivery): void {
    const { seq } = delivery
    if (this.#end !== undefined || (seq !== null && seq <= this.#cursor)) return
    if (!this.#accepts(delivery.event)) return
    if (this.#buffer.length >= subscriberBuffer && !this.#makeRoom(seq)) return
    if (seq !== null) this.#cursor = seq
    this.#buffer.push(delivery)
    this.#notify()
  }

  /** Says that nothing more comes: what is buffered stays readable, then the error is thrown or the iteration ends. */
  finish(error?: Error): void {
    if (this.#end !== undefined) return
    this.#end = { error }
    this.#source.detach(this)
    this.#notify()
  }

  close(): void {
    this.finish()
    this.#phase = 'ended'
    this.#buffer = []
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<Delivery, undefined>> {
    return this.#reads.run(() => this.#next())
  }

  async return(): Promise<IteratorResult<Delivery, undefined>> {
    this.close()
    return { done: true, value: undefined }
  }

  async #next(): Promise<IteratorResult<Delivery, undefined>> {
    for (;;) {
      const delivery = this.#buffer.shift()
      if (delivery !== undefined) return { done: false, value: delivery }
      if (this.#end !== undefined) return this.#finished(this.#end)
      if (this.#phase === 'journal') await this.#readOn()
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  /** Moves from the journal to live delivery, in one tick, when nothing lies between. */
  #goLiveWhenCaughtUp(): boolean {
    if (this.#cursor < this.#source.lastSeq()) return false
    this.#phase = 'live'
    this.#source.attach(this)
    return true
  }

  async #readOn(): Promise<void> {
    if (this.#goLiveWhenCaughtUp()) return
    const page = await this.#readPage()
    // closed while the page was read
    if (this.#end !== undefined) return
    for (const { record, event } of page) {
      this.#cursor = record.seq
      if (event !== undefined && this.#accepts(event)) this.#buffer.push({ seq: record.seq, event })
    }
  }

  /** Reads the next page; who cannot read on is at the end. */
  async #readPage(): ReturnType<SubscriptionSource['readPage']> {
    try {
      const page = await this.#source.readPage(this.#cursor)
      if (page.length > 0) return page
      throw new JournalError('journal_invalid', this.#cursor + 1, 'the journal ends before its tip')
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Gives up an ephemeral event for an enduring one; without any, the subscriber is lost. */
  #makeRoom(seq: number | null): boolean {
    if (seq === null) return false
    const victim = this.#buffer.findIndex((waiting) => waiting.seq === null)
    if (victim >= 0) {
      this.#buffer.splice(victim, 1)
      return true
    }
    this.finish(new SubscriptionLossError(this.#cursor))
    return false
  }

  #finished(end: { readonly error: Error | undefined }): IteratorResult<Delivery, undefined> {
    if (this.#phase !== 'ended' && end.error !== undefined) {
      this.#phase = 'ended'
      throw end.error
    }
    return { done: true, value: undefined }
  }

  #notify(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}
