/** The rows of records; a long body lies in a table of its own. */
import type { Slot } from '../append/decide-append.ts'
import { StoreError } from '../contract/errors.ts'
import type { ReadRequest, StoredRecord } from '../contract/ledger.ts'
import { isKind, type SizedRecord } from '../request/append-request.ts'
import { sha256 } from '../request/digested-record.ts'
import { pageLength } from '../request/read-request.ts'
import type { SqliteConnection, SqlRow } from './driver.ts'
import { bytesOf, integerOf, textOf } from './row.ts'

/** A longer body would make the rows of the record table slow to walk. */
const maxInlineBytes = 256 * 1024

export function findSlot(connection: SqliteConnection, session: string, id: string): Slot | undefined {
  const row = connection.all('SELECT seq, at, kind, digest FROM records WHERE session = ? AND id = ?', session, id)[0]
  if (row === undefined) return undefined
  const seq = integerOf(row[0])
  return { seq, at: integerOf(row[1]), kind: kindOf(row, 2, session, seq), digest: textOf(row[3]) }
}

export function insertRecord(
  connection: SqliteConnection,
  session: string,
  seq: number,
  at: number,
  record: SizedRecord,
): void {
  const inline = record.size <= maxInlineBytes
  connection.run(
    'INSERT INTO records (session, seq, id, kind, digest, at, size, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    session,
    seq,
    record.id,
    record.kind,
    record.digest,
    at,
    record.size,
    inline ? record.body : null,
  )
  if (!inline) {
    connection.run('INSERT INTO contents (session, seq, body) VALUES (?, ?, ?)', session, seq, record.body)
  }
}

/**
 * One page up to `tip`, each record checked.
 *
 * @throws StoreError `corrupt`, with the seq, for a record that is gone or whose body is another.
 */
export function readRecords(
  connection: SqliteConnection,
  { session, after, limit }: ReadRequest,
  tip: number,
): readonly StoredRecord[] {
  const last = Math.min(tip, after + limit)
  const sizes = connection
    .all('SELECT size FROM records WHERE session = ? AND seq > ? AND seq <= ? ORDER BY seq', session, after, last)
    .map(([size]) => integerOf(size))
  if (sizes.length < last - after) throw missing(connection, session, after)
  const rows = connection.all(
    `SELECT r.seq, r.at, CAST(r.id AS BLOB), r.kind, r.digest, CAST(coalesce(r.body, c.body) AS BLOB)
     FROM records r LEFT JOIN contents c ON r.body IS NULL AND c.session = r.session AND c.seq = r.seq
     WHERE r.session = ? AND r.seq > ? AND r.seq <= ? ORDER BY r.seq`,
    session,
    after,
    after + pageLength(sizes),
  )
  return rows.map((row) => recordOf(row, session))
}

function recordOf(row: SqlRow, session: string): StoredRecord {
  const seq = integerOf(row[0])
  const digest = textOf(row[4])
  const bytes = row[5] === null ? undefined : bytesOf(row[5])
  if (bytes === undefined || sha256(bytes) !== digest) throw corrupt(session, seq, 'its body does not fit its digest')
  return Object.freeze({
    seq,
    at: integerOf(row[1]),
    id: bytesOf(row[2]).toString(),
    kind: kindOf(row, 3, session, seq),
    body: bytes.toString(),
    digest,
  })
}

function kindOf(row: SqlRow, column: number, session: string, seq: number): StoredRecord['kind'] {
  const kind = row[column]
  if (isKind(kind)) return kind
  throw corrupt(session, seq, 'its kind is none')
}

/** The first seq after `after` that has no record. */
function missing(connection: SqliteConnection, session: string, after: number): StoreError {
  const seqs = connection
    .all('SELECT seq FROM records WHERE session = ? AND seq > ? ORDER BY seq LIMIT 1000', session, after)
    .map(([seq]) => integerOf(seq))
  const gap = seqs.findIndex((seq, index) => seq !== after + 1 + index)
  return corrupt(session, after + 1 + (gap < 0 ? seqs.length : gap), 'it is gone')
}

function corrupt(session: string, seq: number, reason: string): StoreError {
  return new StoreError('corrupt', `record ${seq} is corrupt: ${reason}`, { session, seq })
}
