/** What may be appended. A store keeps nothing that it could not give back exactly. */
import { StoreError } from '../contract/errors.ts'
import { type AppendRequest, maxBodyBytes, maxGroupRecords, type NewRecord } from '../contract/ledger.ts'
import { isDigested, sha256 } from './digested-record.ts'
import { checkSession } from './session-name.ts'

const maxIdBytes = 256
const maxHeadBytes = 16 * 1024
const kinds: ReadonlySet<string> = new Set<NewRecord['kind']>(['input', 'event', 'step', 'run'])

/** A record that was checked, with the size of its body in bytes of UTF-8. */
export interface SizedRecord extends NewRecord {
  readonly size: number
}

/** A checked copy of a request: later changes of the caller's objects do not reach it. */
export interface CheckedAppend {
  readonly session: string
  readonly epoch: number | undefined
  readonly records: readonly SizedRecord[]
  readonly head: string | undefined
  readonly wakeAt: number | null | undefined
  readonly seen: number | undefined
}

/**
 * A checked copy of an append request. A digest that `digestRecord` did not make is compared with the body here, because
 * a record whose digest is wrong could never be read again.
 *
 * @throws StoreError `invalid` or `too_large`, with the field.
 */
export function checkAppend(request: AppendRequest): CheckedAppend {
  const session = checkSession(request.session)
  const { epoch, records, head, wakeAt, seen } = request
  if (epoch !== undefined) checkWhole(epoch, 'epoch', 'the number that the lease gave', session)
  if (head !== undefined) checkText(head, 'head', maxHeadBytes, session)
  if (wakeAt !== undefined && wakeAt !== null) checkWhole(wakeAt, 'wakeAt', 'milliseconds of store time', session)
  if (seen !== undefined) checkWhole(seen, 'seen', '0 or the seq of a record', session)
  const onlyWake = epoch !== undefined && wakeAt !== undefined
  return { session, epoch, records: checkGroup(records, onlyWake ? 0 : 1, session), head, wakeAt, seen }
}

/** Says whether a value is one of the kinds of a record. */
export function isKind(value: unknown): value is NewRecord['kind'] {
  return typeof value === 'string' && kinds.has(value)
}

function checkWhole(value: number, field: string, what: string, session: string): void {
  if (Number.isSafeInteger(value) && value >= 0) return
  throw new StoreError('invalid', `${field} must be ${what}: a whole number, 0 or more`, { session, field })
}

function checkGroup(records: readonly NewRecord[], fewest: 0 | 1, session: string): readonly SizedRecord[] {
  if (!Array.isArray(records) || records.length < fewest) {
    throw new StoreError('invalid', 'records must hold at least one record', { session, field: 'records' })
  }
  if (records.length > maxGroupRecords) {
    throw new StoreError('too_large', `records may hold ${maxGroupRecords} records at most`, {
      session,
      field: 'records',
    })
  }
  const checked = Array.from(records, (record, index) => checkRecord(record, index, session))
  if (checked.length > 1) checkIdsDiffer(checked, session)
  return checked
}

function checkIdsDiffer(records: readonly SizedRecord[], session: string): void {
  const ids = new Set<string>()
  for (const [index, { id }] of records.entries()) {
    const field = `records[${index}].id`
    if (ids.has(id)) throw new StoreError('invalid', `${field} is there twice`, { session, field })
    ids.add(id)
  }
}

function checkRecord(record: NewRecord | null | undefined, index: number, session: string): SizedRecord {
  const at = `records[${index}]`
  if (typeof record !== 'object' || record === null) {
    throw new StoreError('invalid', `${at} is no record`, { session, field: at })
  }
  const { id, kind, body, digest } = record
  if (typeof id !== 'string' || id === '' || !id.isWellFormed() || Buffer.byteLength(id) > maxIdBytes) {
    throw new StoreError('invalid', `${at}.id must be 1 to ${maxIdBytes} bytes of text`, {
      session,
      field: `${at}.id`,
    })
  }
  if (!isKind(kind)) {
    throw new StoreError('invalid', `${at}.kind must be one of ${[...kinds].join(', ')}`, {
      session,
      field: `${at}.kind`,
    })
  }
  const size = checkText(body, `${at}.body`, maxBodyBytes, session)
  if (!isDigested(record) && digest !== sha256(body)) {
    throw new StoreError('invalid', `${at}.digest must be the lower-case hex SHA-256 of the body`, {
      session,
      field: `${at}.digest`,
    })
  }
  return { id, kind, body, digest, size }
}

function checkText(text: string, field: string, maxBytes: number, session: string): number {
  if (typeof text !== 'string' || !text.isWellFormed()) {
    throw new StoreError('invalid', `${field} must be text without half of a surrogate pair`, { session, field })
  }
  const size = Buffer.byteLength(text)
  if (size > maxBytes) {
    throw new StoreError('too_large', `${field} is ${size} bytes long; ${maxBytes} are allowed`, { session, field })
  }
  return size
}
