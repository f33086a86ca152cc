import type { SessionId } from '@looprig/core'
import type { StoredRecord } from '@looprig/store'
import { asFault, type SessionFaultedError } from '../error/errors.ts'
import type { Delivery } from '../event/event.ts'
import { deliverEvent } from '../event/event-codec.ts'
import type { Hub } from '../hub/hub.ts'
import type { Journal } from '../journal/journal.ts'
import type { RecordDraft } from '../journal/record-draft.ts'
import type { SessionHead } from '../rig/session-head.ts'
import { Serial } from './serial.ts'

/** One decision and what follows from it. */
export interface Draft {
  readonly records: readonly RecordDraft[]
  /** What lists show from now on. */
  readonly head?: Partial<Pick<SessionHead, 'title' | 'status'>>
  /** Changes memory; runs when the records are durable and before anybody sees them. Must not throw. */
  readonly apply?: () => void
  /** Runs after the events were delivered. Must not throw. */
  readonly delivered?: () => void
}

/**
 * The one way in which a session changes: decide on the present state, append, change memory, deliver. Decisions run
 * one after another, so each sees what the one before made durable. The first failure of an append ends it all.
 */
export class SessionLog {
  readonly #sessionId: SessionId
  readonly #journal: Journal
  readonly #hub: Hub
  readonly #serial = new Serial()
  readonly #onFault: (fault: SessionFaultedError) => void
  #head: SessionHead
  #fault: SessionFaultedError | undefined
  #sealed: Error | undefined

  constructor(
    sessionId: SessionId,
    journal: Journal,
    hub: Hub,
    head: SessionHead,
    onFault: (fault: SessionFaultedError) => void,
  ) {
    this.#sessionId = sessionId
    this.#journal = journal
    this.#hub = hub
    this.#head = head
    this.#onFault = onFault
  }

  /** Why nothing more is appended, once that is so. */
  get fault(): SessionFaultedError | undefined {
    return this.#fault
  }

  /**
   * Decides and commits. `decide` runs when all earlier commits are done; it may return nothing, or throw to refuse.
   *
   * @throws SessionFaultedError, the reason of `seal`, or what `decide` throws.
   */
  commit(decide: () => Draft | undefined): Promise<void> {
    return this.#serial.run(async () => {
      const refusal = this.#fault ?? this.#sealed
      if (refusal !== undefined) throw refusal
      const draft = decide()
      if (draft === undefined) return
      await this.#write(draft)
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
    this.#hub.close(fault)
    this.#onFault(fault)
  }

  async #write(draft: Draft): Promise<void> {
    const head = { ...this.#head, ...draft.head }
    const changed = head.title !== this.#head.title || head.status !== this.#head.status
    const stored = await this.#append(draft.records, changed ? JSON.stringify(head) : undefined)
    // a fault while the append was on its way: memory must not move any more
    if (this.#fault !== undefined) throw this.#fault
    this.#head = head
    try {
      draft.apply?.()
      this.#deliver(draft.records, stored)
      draft.delivered?.()
    } catch (error) {
      // the journal is ahead of memory now: only a restore may go on
      this.fail(asFault(error))
      throw this.#fault ?? error
    }
  }

  async #append(records: readonly RecordDraft[], head: string | undefined): Promise<readonly StoredRecord[]> {
    if (records.length === 0) return []
    try {
      return await this.#journal.append(records, head)
    } catch (error) {
      const fault = asFault(error)
      this.fail(fault)
      throw fault
    }
  }

  #deliver(drafts: readonly RecordDraft[], stored: readonly StoredRecord[]): void {
    const deliveries: Delivery[] = []
    for (const [index, record] of stored.entries()) {
      const draft = drafts[index]
      if (draft?.kind !== 'event') continue
      // frozen, since all subscribers share it
      deliveries.push(Object.freeze({ seq: record.seq, event: deliverEvent(this.#sessionId, record, draft.body) }))
    }
    const last = stored.at(-1)
    if (last !== undefined) this.#hub.publish(deliveries, last.seq)
  }
}
