import { isUuid, type SessionId } from '@looprig/core'
import type { Ledger } from '@looprig/store'
import { SessionError } from '../error/errors.ts'
import { readJournal } from '../journal/read-journal.ts'
import { SessionFold } from './session-fold.ts'

/**
 * Reads a session up to the tip that it had at the start, whoever owns it, and changes nothing.
 *
 * @throws SessionError `session_not_found`, JournalError, StoreError.
 */
export async function readSession(ledger: Ledger, id: SessionId): Promise<SessionFold> {
  const fold = new SessionFold()
  if (isUuid(id)) for await (const page of readJournal(ledger, id)) for (const entry of page) fold.take(entry)
  if (fold.tip === 0) throw new SessionError('session_not_found', 'no such session')
  return fold
}
