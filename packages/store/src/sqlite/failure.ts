/** What a failure of SQLite or of the file system means to the caller of a store. */
import { StoreError, type StoreErrorCode } from '../contract/errors.ts'
import { resultCodes, SqliteFailure } from './driver.ts'

interface Meaning {
  readonly code: StoreErrorCode
  readonly message: string
}

const full: Meaning = { code: 'full', message: 'no space is left for the store' }
const readOnly: Meaning = { code: 'read_only', message: 'the file or folder of the store cannot be written' }
const unreadable: Meaning = { code: 'unreadable', message: 'the file of the store cannot be opened' }
const busy: Meaning = { code: 'busy', message: 'other writers kept the store busy for too long; try again' }
const io: Meaning = { code: 'io', message: 'the store met an input or output error' }

const ofResult: ReadonlyMap<number, Meaning> = new Map([
  [resultCodes.busy, busy],
  [resultCodes.locked, busy],
  [resultCodes.full, full],
  [resultCodes.readOnly, readOnly],
  [resultCodes.permission, unreadable],
  [resultCodes.cannotOpen, unreadable],
  [resultCodes.notADatabase, { code: 'unreadable', message: 'the file is not a store' }],
  [resultCodes.corrupt, { code: 'corrupt', message: 'the file of the store is damaged' }],
  [resultCodes.tooBig, { code: 'too_large', message: 'a text is longer than SQLite takes' }],
])

const ofFileError: ReadonlyMap<unknown, Meaning> = new Map([
  ['ENOSPC', full],
  ['EDQUOT', full],
  ['EACCES', readOnly],
  ['EPERM', readOnly],
  ['EROFS', readOnly],
  ['ENOENT', unreadable],
  ['ENOTDIR', unreadable],
  ['EISDIR', unreadable],
  ['EEXIST', unreadable],
  ['ENAMETOOLONG', unreadable],
  ['ELOOP', unreadable],
])

/**
 * The `StoreError` for anything that was thrown. A file system error is not kept as the cause, since its message holds
 * the path; its code stands in the message instead.
 */
export function storeErrorOf(error: unknown, session?: string): StoreError {
  if (error instanceof StoreError) return error
  if (error instanceof SqliteFailure) {
    const { code, message } = ofResult.get(error.resultCode) ?? io
    return new StoreError(code, `${message} (SQLite code ${error.extendedCode})`, { session, cause: error })
  }
  const reason = error instanceof Error && 'code' in error ? error.code : undefined
  if (typeof reason !== 'string') return new StoreError('io', io.message, { session, cause: error })
  const { code, message } = ofFileError.get(reason) ?? io
  return new StoreError(code, `${message} (${reason})`, { session })
}
