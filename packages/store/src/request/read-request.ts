/** What may be asked of a page, and how much one page holds. */
import { StoreError } from '../contract/errors.ts'
import { maxBodyBytes, maxGroupRecords, type ReadRequest } from '../contract/ledger.ts'
import { checkSession } from './session-name.ts'

/** A page ends before the record that would take its bodies over this; it holds at least one record. */
const maxPageBytes = 2 * maxBodyBytes

/**
 * A checked copy of a read request.
 *
 * @throws StoreError `invalid`.
 */
export function checkRead(request: ReadRequest): ReadRequest {
  const { after, limit } = request
  const session = checkSession(request.session)
  checkAfter(after, session)
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > maxGroupRecords) {
    throw new StoreError('invalid', `limit must be 1 to ${maxGroupRecords}`, { session, field: 'limit' })
  }
  return { session, after, limit }
}

/** @throws StoreError `invalid`. */
export function checkAfter(after: number, session: string): void {
  if (Number.isSafeInteger(after) && after >= 0) return
  throw new StoreError('invalid', 'after must be 0 or the seq of a record', { session, field: 'after' })
}

/** How many records of these body sizes make one page. */
export function pageLength(sizes: readonly number[]): number {
  let total = 0
  for (const [index, size] of sizes.entries()) {
    total += size
    if (index > 0 && total > maxPageBytes) return index
  }
  return sizes.length
}
