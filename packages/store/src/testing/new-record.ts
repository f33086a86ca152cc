/** Records for tests. */
import type { NewRecord } from '../contract/ledger.ts'
import { sha256 } from '../request/digested-record.ts'

/** A record with the digest that its body needs. The default body is a small JSON text with the id. */
export function newRecord(
  id: string,
  body: string = JSON.stringify({ id }),
  kind: NewRecord['kind'] = 'event',
): NewRecord {
  return { id, kind, body, digest: sha256(body) }
}
