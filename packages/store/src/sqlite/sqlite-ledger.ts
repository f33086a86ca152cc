/** The ledger of a SQLite store. */
import { type AppendDecision, decideAppend, stampRecord } from '../append/decide-append.ts'
import { decideWake } from '../append/decide-wake.ts'
import type {
  AppendOutcome,
  AppendRequest,
  Ledger,
  LedgerSession,
  ReadRequest,
  StoredRecord,
  WatchRequest,
} from '../contract/ledger.ts'
import { type CheckedAppend, checkAppend } from '../request/append-request.ts'
import { checkRead } from '../request/read-request.ts'
import { checkSession } from '../request/session-name.ts'
import { checkWatch } from '../request/watch-request.ts'
import type { TipSource, Watchers } from '../watch/watchers.ts'
import { retryBusy } from './busy-retry.ts'
import type { SqliteConnection } from './driver.ts'
import { storeErrorOf } from './failure.ts'
import type { OpenFile } from './open-file.ts'
import { findSlot, insertRecord, readRecords } from './record-rows.ts'
import { changeSessionRow, findEntry, findSessionRow, listEntries } from './session-rows.ts'

/** Appends through the writer's queue; reads between two of its transactions. */
export class SqliteLedger implements Ledger {
  readonly #file: OpenFile
  readonly #watchers: Watchers
  readonly #tips: TipSource

  /** @param tips - tells the watchers what other connections commit; what this one commits they are told here. */
  constructor(file: OpenFile, watchers: Watchers, tips: TipSource) {
    this.#file = file
    this.#watchers = watchers
    this.#tips = tips
  }

  async append(request: AppendRequest): Promise<AppendOutcome> {
    this.#file.ensureOpen()
    const checked = checkAppend(request)
    const written = await this.#file.writer.write((connection) => appendGroup(connection, checked, this.#file.now()))
    if (!written.committed) return { outcome: 'unknown', cause: written.cause }
    const last = written.value.outcome === 'ok' ? written.value.records.at(-1) : undefined
    if (last !== undefined) this.#watchers.grow(checked.session, last.seq)
    return written.value
  }

  async read(request: ReadRequest): Promise<readonly StoredRecord[]> {
    this.#file.ensureOpen()
    const checked = checkRead(request)
    return this.#query((connection) => {
      const tip = findSessionRow(connection, checked.session)?.tip ?? 0
      return tip <= checked.after ? [] : readRecords(connection, checked, tip)
    })
  }

  async find(session: string): Promise<LedgerSession | undefined> {
    this.#file.ensureOpen()
    const name = checkSession(session)
    return this.#query((connection) => findEntry(connection, name))
  }

  async list(): Promise<readonly LedgerSession[]> {
    this.#file.ensureOpen()
    return this.#query(listEntries)
  }

  async now(): Promise<number> {
    this.#file.ensureOpen()
    return this.#file.now()
  }

  watch(request: WatchRequest): AsyncIterable<number> {
    this.#file.ensureOpen()
    return this.#watchers.tips(checkWatch(request), this.#tips)
  }

  async #query<T>(work: (connection: SqliteConnection) => T): Promise<T> {
    const { database, busyTimeoutMs, ensureOpen } = this.#file
    const once = () => {
      ensureOpen()
      return work(database.use())
    }
    try {
      return await retryBusy(once, performance.now() + busyTimeoutMs)
    } catch (error) {
      throw storeErrorOf(error)
    }
  }
}

/** Runs under the write lock of the file. */
function appendGroup(
  connection: SqliteConnection,
  request: CheckedAppend,
  at: number,
): Exclude<AppendDecision, { readonly outcome: 'insert' }> {
  const { session, head } = request
  const state = findSessionRow(connection, session)
  if (state === undefined) return { outcome: 'fenced' }
  const decision = decideAppend(request, state, (id) => findSlot(connection, session, id))
  if (decision.outcome !== 'insert') return decision
  const records = request.records.map((record, index) => {
    const seq = decision.after + 1 + index
    insertRecord(connection, session, seq, at, record)
    return stampRecord(record, seq, at)
  })
  changeSessionRow(connection, session, {
    tip: decision.after + records.length,
    at: records.length > 0 ? at : undefined,
    head,
    wakeAt: decideWake(request, state, at),
  })
  return { outcome: 'ok', records }
}
