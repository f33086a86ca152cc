import type { SessionId } from '@looprig/core'
import type { Ledger } from '@looprig/store'
import { SessionError } from '../error/errors.ts'
import type { Delivery, Event } from '../event/event.ts'
import { type EventFilter, eventPredicate } from '../hub/event-filter.ts'
import { readJournalPage } from '../journal/read-journal.ts'

/** Where a watch begins and what it gives. */
export interface WatchOptions {
  /** Events with a greater seq. Default: 0, the whole journal. */
  readonly since?: number | undefined
  readonly filter?: EventFilter | undefined
  /** Ends the watch. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Follows the durable events of a session that any process may own: the journal in pages at the reader's pace, then
 * each append as it comes. Nothing is buffered and no owner is slowed; ephemeral events are only in the owner's process.
 * It ends with the signal or after `SessionStopped`.
 *
 * @throws SessionError `session_not_found`, `since_ahead`, `since_invalid`; JournalError, StoreError.
 */
export function watchSession(
  ledger: Ledger,
  id: SessionId,
  { since = 0, filter, signal }: WatchOptions = {},
): AsyncGenerator<Delivery, void, undefined> {
  return follow(ledger, id, { since, accepts: eventPredicate(filter), signal })
}

interface Watch {
  readonly since: number
  readonly accepts: (event: Event) => boolean
  readonly signal: AbortSignal | undefined
}

async function* follow(
  ledger: Ledger,
  id: SessionId,
  { since, accepts, signal }: Watch,
): AsyncGenerator<Delivery, void, undefined> {
  if (!(Number.isSafeInteger(since) && since >= 0)) {
    throw new SessionError('since_invalid', 'since is not the seq of an event')
  }
  const tip = (await ledger.find(id))?.tip ?? 0
  if (tip === 0) throw new SessionError('session_not_found', 'no such session')
  if (since > tip) throw new SessionError('since_ahead', 'since is beyond the last event of this session')
  const stop = new AbortController()
  const ended = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])
  const tips = ledger.watch({ session: id, after: since, signal: ended })[Symbol.asyncIterator]()
  try {
    for (let after = since; !ended.aborted; ) {
      const page = await readJournalPage(ledger, id, after)
      for (const { record, event } of page) {
        if (ended.aborted) return
        after = record.seq
        if (event === undefined) continue
        if (accepts(event)) yield Object.freeze({ seq: record.seq, event })
        if (event.type === 'SessionStopped') return
      }
      if (page.length === 0 && (await tips.next()).done === true) return
    }
  } finally {
    stop.abort()
  }
}
