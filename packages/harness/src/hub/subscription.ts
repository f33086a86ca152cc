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

type Item = IteratorResult<Delivery, undefined>

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
  readonly #catchingUp = new Serial()
  /** The reads that wait for `#catchingUp`: later ones wait behind them. */
  #inLine = 0
  #buffer: Delivery[] = []
  /** The reads that wait for a live event, the oldest first; nothing is buffered then. */
  #readers: ((item: Item | Promise<Item>) => void)[] = []
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
    const reader = this.#readers.shift()
    if (reader === undefined && this.#buffer.length >= subscriberBuffer && !this.#makeRoom(seq)) return
    if (seq !== null) this.#cursor = seq
    if (reader === undefined) this.#buffer.push(delivery)
    else reader({ done: false, value: delivery })
  }

  /** Says that nothing more comes: what is buffered stays readable, then the error is thrown or the iteration ends. */
  finish(error?: Error): void {
    if (this.#end !== undefined) return
    this.#end = { error }
    this.#source.detach(this)
    for (const reader of this.#readers.splice(0)) reader(this.#take())
  }

  close(): void {
    this.finish()
    this.#phase = 'ended'
    this.#buffer = []
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Item> {
    if (this.#phase !== 'journal' && this.#inLine === 0) return this.#take()
    this.#inLine += 1
    return this.#catchingUp.run(() => this.#takeFromJournal())
  }

  async return(): Promise<Item> {
    this.close()
    return { done: true, value: undefined }
  }

  async #takeFromJournal(): Promise<Item> {
    try {
      while (this.#phase === 'journal' && this.#buffer.length === 0 && this.#end === undefined) await this.#readOn()
      return await this.#take()
    } finally {
      this.#inLine -= 1
    }
  }

  /** Takes what is buffered or waits for what comes: one promise per live event, the hot path of every reader. */
  #take(): Promise<Item> {
    const value = this.#buffer.shift()
    if (value !== undefined) return Promise.resolve({ done: false, value })
    if (this.#end !== undefined) return this.#finished(this.#end)
    return new Promise((resolve) => this.#readers.push(resolve))
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

  /** The end; an error is told once. */
  async #finished(end: { readonly error: Error | undefined }): Promise<Item> {
    if (this.#phase !== 'ended' && end.error !== undefined) {
      this.#phase = 'ended'
      throw end.error
    }
    return { done: true, value: undefined }
  }
}
