import type { SessionId } from '@looprig/core'
import type { Ledger, StoredRecord } from '@looprig/store'
import { JournalError } from '../error/errors.ts'
import type { EnduringEvent } from '../event/event.ts'
import { readEvent } from '../event/event-codec.ts'

/** The records of one page. */
const pageRecords = 500

/** A record, with its event when it is a public one. */
export interface JournalEntry {
  readonly record: StoredRecord
  readonly event: EnduringEvent | undefined
}

/** Reads one page of a session's journal after `seq`. The store verifies the digests. */
export async function readJournalPage(
  ledger: Ledger,
  sessionId: SessionId,
  after: number,
): Promise<readonly JournalEntry[]> {
  const records = await ledger.read({ session: sessionId, after, limit: pageRecords })
  return records.map((record, index) => {
    if (record.seq !== after + index + 1) throw new JournalError('journal_invalid', record.seq, 'a record is missing')
    return readEntry(sessionId, record)
  })
}

/** Reads one record. */
export function readEntry(sessionId: SessionId, record: StoredRecord): JournalEntry {
  const event = record.kind === 'event' ? readEvent(sessionId, record) : undefined
  return { record, event }
}

/** Reads a session's journal up to the tip that it had at the start, page by page. */
export async function* readJournal(
  ledger: Ledger,
  sessionId: SessionId,
): AsyncGenerator<readonly JournalEntry[], void, undefined> {
  const tip = (await ledger.find(sessionId))?.tip ?? 0
  for (let after = 0; after < tip; ) {
    const page = await readJournalPage(ledger, sessionId, after)
    yield page.filter(({ record }) => record.seq <= tip)
    const last = page.at(-1)
    if (last === undefined) throw new JournalError('journal_invalid', after + 1, 'the journal ends before its tip')
    after = last.record.seq
  }
}
