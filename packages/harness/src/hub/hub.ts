import type { SessionId } from '@looprig/core'
import type { Ledger } from '@looprig/store'
import { SessionError } from '../error/errors.ts'
import type { Delivery, EphemeralBody, Event } from '../event/event.ts'
import { readJournalPage } from '../journal/read-journal.ts'
import { type EventFilter, eventPredicate } from './event-filter.ts'
import { LiveSubscriber, type SubscriptionSource } from './subscription.ts'

/** Hands durable events, and ephemeral ones, to whoever watches. It never waits for a subscriber. */
export class Hub {
  readonly #sessionId: SessionId
  readonly #source: SubscriptionSource
  readonly #live = new Set<LiveSubscriber>()
  #lastSeq: number
  /** A page may be ahead of delivery: who read it goes on from there. */
  #readSeq = 0
  #end: { readonly error: Error | undefined } | undefined

  /** @param lastSeq - the journal's tip: what came before is only in the journal. */
  constructor(sessionId: SessionId, ledger: Ledger, lastSeq: number) {
    this.#sessionId = sessionId
    this.#lastSeq = lastSeq
    this.#source = {
      lastSeq: () => this.#lastSeq,
      readPage: async (after) => {
        const page = await readJournalPage(ledger, sessionId, after)
        this.#readSeq = Math.max(this.#readSeq, page.at(-1)?.record.seq ?? 0)
        return page
      },
      attach: (subscriber) => {
        if (this.#end === undefined) this.#live.add(subscriber)
        else subscriber.finish(this.#end.error)
      },
      detach: (subscriber) => this.#live.delete(subscriber),
    }
  }

  /** Delivers what one append made durable. `lastSeq` is the seq of its last record, public or not. */
  publish(deliveries: readonly Delivery[], lastSeq: number): void {
    this.#lastSeq = lastSeq
    for (const subscriber of this.#live) {
      for (const delivery of deliveries) subscriber.push(delivery)
    }
  }

  /**
   * Delivers an event that is not journalled; costs nothing while nobody watches. The hub takes the object over: a copy
   * would cost more than the delivery.
   */
  emit(body: EphemeralBody): void {
    if (this.#live.size === 0 || this.#end !== undefined) return
    const event: Event = Object.freeze(Object.assign(body, { sessionId: this.#sessionId }))
    const delivery = Object.freeze({ seq: null, event })
    for (const subscriber of this.#live) subscriber.push(delivery)
  }

  /** Begins a subscription. */
  subscribe(since: number | undefined, filter: EventFilter | undefined): LiveSubscriber {
    return this.watch(eventPredicate(filter), since)
  }

  /** Begins a subscription with a test of one's own. */
  watch(accepts: (event: Event) => boolean, since?: number): LiveSubscriber {
    if (since !== undefined && !(Number.isSafeInteger(since) && since >= 0)) {
      throw new SessionError('since_invalid', 'since is not the seq of an event')
    }
    if (since !== undefined && since > Math.max(this.#lastSeq, this.#readSeq)) {
      throw new SessionError('since_ahead', 'since is beyond the last event of this session')
    }
    return new LiveSubscriber(this.#source, accepts, since)
  }

  /** Ends every subscription after what came before, with an error after a fault. */
  close(error?: Error): void {
    if (this.#end !== undefined) return
    this.#end = { error }
    for (const subscriber of [...this.#live]) subscriber.finish(error)
  }
}
