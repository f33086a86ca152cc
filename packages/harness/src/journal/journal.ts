import type { AppendRequest, Lease, Ledger } from '@looprig/store'
import type { Clock } from '../clock/clock.ts'
import { SessionFaultedError } from '../error/errors.ts'
import { appendGroup, type DefiniteOutcome } from './append-group.ts'
import { encodeRecord } from './encode-record.ts'
import type { RecordDraft } from './record-draft.ts'

/** What goes with a group: the head that lists show, and when a session without an owner has work. */
export type AppendMarks = Pick<AppendRequest, 'head' | 'wakeAt' | 'seen'>

/** What became of an owner's group: durable, or not written because another process took one of its slots first. */
export type Appended = Exclude<DefiniteOutcome, { readonly outcome: 'fenced' }>

/** Writes one session's records under its lease. One append at a time; the caller sees to that. */
export class Journal {
  readonly #ledger: Ledger
  readonly #lease: Lease
  readonly #clock: Clock

  constructor(ledger: Ledger, lease: Lease, clock: Clock) {
    this.#ledger = ledger
    this.#lease = lease
    this.#clock = clock
  }

  /**
   * Appends one group whole or not at all, and returns when its fate is certain.
   *
   * @throws SessionFaultedError when it never is, or the store or another owner refused it.
   */
  async append(drafts: readonly RecordDraft[], marks: AppendMarks): Promise<Appended> {
    const { session, epoch, lost } = this.#lease
    const request: AppendRequest = { session, epoch, records: drafts.map(encodeRecord), ...marks }
    const answer = await appendGroup(this.#ledger, request, this.#clock, () => {
      if (lost.aborted) throw new SessionFaultedError('lease_lost')
    })
    if (answer.outcome === 'fenced') throw new SessionFaultedError('fenced')
    return answer
  }
}
