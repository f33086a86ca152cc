/** The ledger of a memory store. */
import { decideAppend, stampRecord } from '../append/decide-append.ts'
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
import { checkAppend } from '../request/append-request.ts'
import { checkRead, pageLength } from '../request/read-request.ts'
import { checkSession } from '../request/session-name.ts'
import { checkWatch } from '../request/watch-request.ts'
import type { Watchers } from '../watch/watchers.ts'
import { latestFirst, type MemorySession, memoryEntry } from './memory-session.ts'

/** Reads and appends in a map of sessions; `ensureOpen` throws once the store is closed. */
export class MemoryLedger implements Ledger {
  readonly #sessions: ReadonlyMap<string, MemorySession>
  readonly #watchers: Watchers
  readonly #clock: () => number
  readonly #ensureOpen: () => void

  constructor(
    sessions: ReadonlyMap<string, MemorySession>,
    watchers: Watchers,
    clock: () => number,
    ensureOpen: () => void,
  ) {
    this.#sessions = sessions
    this.#watchers = watchers
    this.#clock = clock
    this.#ensureOpen = ensureOpen
  }

  async append(request: AppendRequest): Promise<AppendOutcome> {
    this.#ensureOpen()
    const checked = checkAppend(request)
    const session = this.#sessions.get(checked.session)
    if (session === undefined) return { outcome: 'fenced' }
    const state = { epoch: session.epoch, tip: session.records.length, wakeAt: session.wakeAt }
    const decision = decideAppend(checked, state, (id) => session.byId.get(id))
    if (decision.outcome !== 'insert') return decision
    const at = Math.trunc(this.#clock())
    const records = checked.records.map((record, index) => stampRecord(record, decision.after + 1 + index, at))
    for (const record of records) {
      session.records.push(record)
      session.byId.set(record.id, record)
    }
    if (records.length > 0) session.at = at
    session.head = checked.head ?? session.head
    session.wakeAt = decideWake(checked, state, at)
    this.#watchers.grow(checked.session, session.records.length)
    return { outcome: 'ok', records }
  }

  async read(request: ReadRequest): Promise<readonly StoredRecord[]> {
    this.#ensureOpen()
    const { session, after, limit } = checkRead(request)
    const records = this.#sessions.get(session)?.records.slice(after, after + limit) ?? []
    return records.slice(0, pageLength(records.map((record) => Buffer.byteLength(record.body))))
  }

  async find(session: string): Promise<LedgerSession | undefined> {
    this.#ensureOpen()
    const name = checkSession(session)
    const found = this.#sessions.get(name)
    return found && memoryEntry(name, found)
  }

  async list(): Promise<readonly LedgerSession[]> {
    this.#ensureOpen()
    return [...this.#sessions].map(([name, session]) => memoryEntry(name, session)).sort(latestFirst)
  }

  async now(): Promise<number> {
    this.#ensureOpen()
    return Math.trunc(this.#clock())
  }

  watch(request: WatchRequest): AsyncIterable<number> {
    this.#ensureOpen()
    const checked = checkWatch(request)
    return this.#watchers.tips(checked, {
      begun: (session) => {
        this.#ensureOpen()
        this.#watchers.grow(session, this.#sessions.get(session)?.records.length ?? 0)
      },
      idle: () => undefined,
    })
  }
}
