/** What may be watched. */
import type { WatchRequest } from '../contract/ledger.ts'
import { checkAfter } from './read-request.ts'
import { checkSession } from './session-name.ts'

/**
 * A checked copy of a watch request.
 *
 * @throws StoreError `invalid`.
 */
export function checkWatch({ session, after, signal }: WatchRequest): WatchRequest {
  checkAfter(after, checkSession(session))
  return { session, after, signal }
}
