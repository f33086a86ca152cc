import type { SessionId } from '@looprig/core'
import type { Ledger, StoredRecord } from '@looprig/store'
import { asFault, JournalError, SessionFaultedError } from '../error/errors.ts'
import type { Delivery } from '../event/event.ts'
import { deliverEvent } from '../event/event-codec.ts'
import type { Hub } from '../hub/hub.ts'
import type { AppendMarks, Journal } from '../journal/journal.ts'
import { type JournalEntry, readJournalPage } from '../journal/read-journal.ts'
import type { RecordDraft } from '../journal/record-draft.ts'
import type { SessionHead } from '../rig/session-head.ts'
import { type HeadChange, LiveHead } from './live-head.ts'
import { Serial } from './serial.ts'

/** One decision and what follows from it. */
export interface Draft {
  readonly records: readonly RecordDraft[]
  /** What lists show from now on. */
  readonly head?: HeadChange
  /** When the session has work should it lose its owner, in the store's time; `null` for none. Absent: as before. */
  readonly wakeAt?: number | null
  /**
   * Changes memory; runs when the records are durable and before anybody sees them. It gets them as they were stored,
   * in the order of `records`. Must not throw.
   */
  readonly apply?: (stored: readonly StoredRecord[]) => void
  /** Runs after the events were delivered. Must not throw. */
  readonly delivered?: () => void
  /**
   * Set where the same records may be handed over again: when all are there already, nothing is written, changed or
   * told. Makes the error for a slot that holds something else.
   */
  readonly ifTaken?: () => Error
}

/** What a session does with the records that another process appended. */
export interface ForeignRecords {
  /** Changes memory by one of them, before its event is delivered. */
  take(entry: JournalEntry): void
  /** All that were found are delivered. */
  taken(): void
  /** What they make of the session's title and standing. */
  head(): HeadChange
}

/** What a log is made of. */
export interface SessionLogParts {
  readonly sessionId: SessionId
  readonly ledger: Ledger
  readonly journal: Journal
  readonly hub: Hub
  readonly head: SessionHead
  /** What the store has of it; absent where that is not known. */
  readonly storedHead?: SessionHead
  /** The seq of the last record that memory knows. */
  readonly tip: number
  readonly foreign: ForeignRecords
  onFault(fault: SessionFaultedError): void
}

/** How often one decision is made anew because others took its slots: each time at least one record was there first. */
const maxDecisions = 1_000

/**
 * The one way in which a session changes: decide on the present state, append, change memory, deliver. Decisions run
 * one after another, so each sees what the one before made durable. The first failure of an append ends it all.
 *
 * Other processes may append inputs, cancellations and answers meanwhile. They are seen as a jump of the seq, or as a
 * slot that is taken: then memory catches up, and the decision is made again.
 */
export class SessionLog {
  readonly #parts: SessionLogParts
  readonly #serial = new Serial()
  readonly #head: LiveHead
  #tip: number
  #fault: SessionFaultedError | undefined
  #sealed: Error | undefined

  constructor(parts: SessionLogParts) {
    this.#parts = parts
    this.#head = new LiveHead(parts.head, parts.storedHead)
    this.#tip = parts.tip
  }

  /** Why nothing more is appended, once that is so. */
  get fault(): SessionFaultedError | undefined {
    return this.#fault
  }

  /** The seq of the last record that memory knows. */
  get tip(): number {
    return this.#tip
  }

  /** The session has its title. */
  get isTitled(): boolean {
    return this.#head.isTitled
  }

  /**
   * Decides and commits. `decide` runs when all earlier commits are done; it may return nothing, or throw to refuse. It
   * runs again when another process was faster.
   *
   * @throws SessionFaultedError, the reason of `seal`, or what `decide` throws.
   */
  commit(decide: () => Draft | undefined): Promise<void> {
    return this.#serial.run(() => this.#commit(decide))
  }

  /** Takes all that other processes have appended by now, as far as the store can tell. */
  async catchUpNow(): Promise<void> {
    const { ledger, sessionId } = this.#parts
    const found = await ledger.find(sessionId).catch(() => undefined)
    if (found !== undefined) await this.catchUp(found.tip)
  }

  /** Takes what other processes appended up to `tip`; nothing when the session has ended, or has written it itself. */
  async catchUp(tip: number): Promise<void> {
    if (tip <= this.#tip) return
    await this.#serial.run(async () => {
      // mostly it is the append that was on its way
      if (tip <= this.#tip || this.#fault !== undefined || this.#sealed !== undefined) return
      await this.#catchUp()
    })
  }

  /** Refuses every later commit with `reason`; resolves when the earlier ones are done. */
  seal(reason: Error): Promise<void> {
    return this.#serial.run(async () => {
      this.#sealed ??= reason
    })
  }

  /** Ends the session for a reason that is not an append: the lease was lost, or the runtime itself failed. */
  fail(fault: SessionFaultedError): void {
    if (this.#fault !== undefined) return
    this.#fault = fault
    this.#parts.hub.close(fault)
    this.#parts.onFault(fault)
  }

  async #commit(decide: () => Draft | undefined): Promise<void> {
    for (let decisions = 1; ; decisions += 1) {
      const refusal = this.#fault ?? this.#sealed
      if (refusal !== undefined) throw refusal
      const draft = decide()
      if (draft === undefined || (await this.#write(draft))) return
      if ((await this.#catchUp()) && decisions < maxDecisions) continue
      if (draft.ifTaken !== undefined) throw draft.ifTaken()
      this.#failWith(new SessionFaultedError('slot_taken'))
    }
  }

  /** Says whether the draft is durable; when not, one of its slots was taken and nothing was written. */
  async #write(draft: Draft): Promise<boolean> {
    const head = this.#head.with(draft.head)
    const news = this.#head.news(head)
    const wakeAt = this.#wakeAfter(draft, head)
    const marks = {
      ...(news === undefined ? {} : { head: news }),
      ...(wakeAt === undefined ? {} : { wakeAt, seen: this.#tip }),
    }
    const isNothing = draft.records.length === 0 && wakeAt === undefined
    const stored = isNothing ? [] : await this.#append(draft, marks)
    if (stored === undefined) return false
    if (this.#areKnown(draft, stored)) {
      await this.#checkKnown(stored)
      return true
    }
    if (!isNothing) this.#head.told(head)
    const [first] = stored
    // memory takes records in their order: what others wrote comes first
    const isBehind = first !== undefined && first.seq > this.#tip + 1
    if (isBehind) await this.#catchUp(first.seq)
    // a fault while the append was on its way: memory must not move any more
    if (this.#fault !== undefined) throw this.#fault
    this.#head.take(draft.head)
    this.#orFault(() => {
      draft.apply?.(stored)
      // the draft was made without them
      if (isBehind) this.#head.take(this.#parts.foreign.head())
      this.#deliver(draft.records, stored)
      draft.delivered?.()
    })
    return true
  }

  /**
   * A turn that runs needs an owner at once, should this one be lost; a session that rests needs none. What waits for
   * people says itself when its time is over.
   */
  #wakeAfter({ wakeAt }: Draft, { status }: SessionHead): number | null | undefined {
    const changed = status !== this.#head.status
    if (status === 'running') return changed ? 0 : undefined
    // an explicit null counts: what it was for is done
    return wakeAt === undefined && changed ? null : wakeAt
  }

  async #append(draft: Draft, marks: AppendMarks): Promise<readonly StoredRecord[] | undefined> {
    const { records } = draft
    try {
      const answer = await this.#parts.journal.append(records, marks)
      if (answer.outcome !== 'ok') return undefined
      if (!this.#areKnown(draft, answer.records)) this.#checkStored(answer.records, records.length)
      return answer.records
    } catch (error) {
      return this.#failWith(asFault(error))
    }
  }

  /** Says whether the records of a draft that may be handed over again were there before. */
  #areKnown({ records, ifTaken }: Draft, stored: readonly StoredRecord[]): boolean {
    if (ifTaken === undefined || stored.length === 0 || stored.length !== records.length) return false
    return stored.every(({ id, seq }, index) => id === records[index]?.id && seq <= this.#tip)
  }

  /** A store that says so of a record that is not there has lost one. */
  async #checkKnown(stored: readonly StoredRecord[]): Promise<void> {
    const { ledger, sessionId } = this.#parts
    for (const { seq, id, digest } of stored) {
      const [found] = await ledger.read({ session: sessionId, after: seq - 1, limit: 1 }).catch((cause: unknown) => {
        return this.#failWith(new SessionFaultedError('store_failed', { cause }))
      })
      if (found?.seq === seq && found.id === id && found.digest === digest) continue
      const cause = new JournalError('journal_invalid', seq, 'the store answered with a record that is not there')
      this.#failWith(new SessionFaultedError('store_failed', { cause }))
    }
  }

  /** What memory knows is never taken again, and what follows has no gap: whatever else a store says cannot be gone on from. */
  #checkStored(stored: readonly StoredRecord[], count: number): void {
    const first = stored[0]?.seq ?? this.#tip + 1
    const isNext = Number.isSafeInteger(first) && first > this.#tip && stored.length === count
    if (isNext && stored.every(({ seq }, index) => seq === first + index)) return
    const cause = new JournalError('journal_invalid', this.#tip + 1, 'the store answered with other records')
    throw new SessionFaultedError('store_failed', { cause })
  }

  #failWith(fault: SessionFaultedError): never {
    this.fail(fault)
    throw fault
  }

  #deliver(drafts: readonly RecordDraft[], stored: readonly StoredRecord[]): void {
    const deliveries: Delivery[] = []
    for (const [index, record] of stored.entries()) {
      const draft = drafts[index]
      if (draft?.kind !== 'event') continue
      // frozen, since all subscribers share it
      const event = deliverEvent(this.#parts.sessionId, record, draft.body)
      deliveries.push(Object.freeze({ seq: record.seq, event }))
    }
    const last = stored.at(-1)
    if (last === undefined) return
    this.#tip = last.seq
    this.#parts.hub.publish(deliveries, last.seq)
  }

  /** Takes the records after the tip and before `end`; says whether there were any. */
  async #catchUp(end = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { ledger, sessionId, foreign } = this.#parts
    let found = false
    while (this.#tip + 1 < end) {
      const page = await this.#readPage(ledger, sessionId)
      const entries = page.filter(({ record }) => record.seq < end)
      if (entries.length === 0) break
      found = true
      this.#orFault(() => this.#take(entries))
    }
    if (found) {
      this.#orFault(() => {
        this.#head.take(foreign.head())
        foreign.taken()
      })
    }
    return found
  }

  async #readPage(ledger: Ledger, sessionId: SessionId): Promise<readonly JournalEntry[]> {
    try {
      return await readJournalPage(ledger, sessionId, this.#tip)
    } catch (error) {
      return this.#failWith(new SessionFaultedError('store_failed', { cause: error }))
    }
  }

  #take(entries: readonly JournalEntry[]): void {
    for (const entry of entries) {
      const { record, event } = entry
      this.#parts.foreign.take(entry)
      this.#tip = record.seq
      const deliveries = event === undefined ? [] : [Object.freeze({ seq: record.seq, event })]
      this.#parts.hub.publish(deliveries, record.seq)
    }
  }

  /** Memory that could not follow the journal is of no use: only a restore may go on. */
  #orFault(change: () => void): void {
    try {
      change()
    } catch (error) {
      this.fail(asFault(error))
      throw this.#fault ?? error
    }
  }
}
