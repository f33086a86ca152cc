import { isLooprigError, type SessionId } from '@looprig/core'
import type { Ledger } from '@looprig/store'
import type { Clock } from '../clock/clock.ts'
import { SessionError, SessionFaultedError } from '../error/errors.ts'
import { appendGroup } from '../journal/append-group.ts'
import { encodeRecord } from '../journal/encode-record.ts'
import { readJournalPage } from '../journal/read-journal.ts'
import type { RecordDraft } from '../journal/record-draft.ts'
import { readSession } from '../restore/read-session.ts'
import type { SessionFold } from '../restore/session-fold.ts'

/** Where a process that does not own the session writes. */
export interface UnownedSession {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly id: SessionId
}

/** How often a decision is made anew because others were faster: each time at least one record was there first. */
const maxDecisions = 100

/**
 * Appends to a session without its lease. Only an input, the end of one that waits and the answer to a gate may be
 * written so: their slots decide who was first. `decide` is made on what the journal says now; no drafts write nothing.
 *
 * @throws what `decide` throws; SessionError `session_stopped`, `outcome_unknown`, `session_not_found`; JournalError,
 *   StoreError.
 */
export async function appendUnowned(
  { ledger, clock, id }: UnownedSession,
  decide: (fold: SessionFold) => readonly RecordDraft[],
): Promise<void> {
  for (let decisions = 1; decisions <= maxDecisions; decisions += 1) {
    const fold = await readSession(ledger, id)
    const drafts = decide(fold)
    if (drafts.length === 0) return
    if (fold.stopped) throw stopped()
    const request = { session: id, records: drafts.map(encodeRecord) }
    const answer = await appendGroup(ledger, request, clock).catch(retold)
    if (answer.outcome === 'ok') {
      const [first] = answer.records
      if (first !== undefined) await checkOpen({ ledger, clock, id }, fold.tip, first.seq)
      return
    }
    if (answer.outcome === 'fenced') throw new SessionError('session_not_found', 'no such session')
  }
  throw new SessionError('outcome_unknown', 'others were faster each time; do the same again')
}

/** What was written behind the end of the session counts for nothing, and its writer must know. */
async function checkOpen({ ledger, id }: UnownedSession, tip: number, seq: number): Promise<void> {
  for (let after = tip; after < seq - 1; ) {
    const page = await readJournalPage(ledger, id, after)
    const last = page.at(-1)
    if (last === undefined) return
    if (page.some(({ record, event }) => record.seq < seq && event?.type === 'SessionStopped')) throw stopped()
    after = last.record.seq
  }
}

function stopped(): SessionError {
  return new SessionError('session_stopped', 'the session was stopped for good; make a new one')
}

/** A caller without a session is told of the store, not of a session that stopped. */
function retold(error: unknown): never {
  if (!(error instanceof SessionFaultedError)) throw error
  if (error.reason === 'store_failed' && isLooprigError(error.cause)) throw error.cause
  throw new SessionError('outcome_unknown', 'the store could not say whether it wrote; do the same again', {
    cause: error.cause,
  })
}
