import { assertNever } from '@looprig/core'
import type { AppendRequest, Lease, Ledger, StoredRecord } from '@looprig/store'
import { type Clock, sleep } from '../clock/clock.ts'
import { SessionFaultedError } from '../error/errors.ts'
import { encodeRecord } from './encode-record.ts'
import type { RecordDraft } from './record-draft.ts'

/** How long a group whose fate is unknown is sent again before the session gives up. */
const unknownTimeoutMs = 10_000
const firstResendMs = 25

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
   * Appends one group whole or not at all, and returns when it is durable.
   *
   * @throws SessionFaultedError when it is not certain that it was, or is certain that it was not.
   */
  async append(drafts: readonly RecordDraft[], head: string | undefined): Promise<readonly StoredRecord[]> {
    const { session, epoch } = this.#lease
    const request: AppendRequest = { session, epoch, records: drafts.map(encodeRecord), head }
    const deadline = this.#clock.now() + unknownTimeoutMs
    for (let delayMs = firstResendMs; ; delayMs = Math.min(delayMs * 2, 1_000)) {
      if (this.#lease.lost.aborted) throw new SessionFaultedError('lease_lost')
      const answer = await this.#send(request, delayMs === firstResendMs ? 'store_failed' : 'outcome_unknown')
      switch (answer.outcome) {
        case 'ok':
          return answer.records
        case 'fenced':
          throw new SessionFaultedError('fenced')
        case 'slot_taken':
          throw new SessionFaultedError('slot_taken')
        case 'unknown':
          // the first try may still commit, so only the same group may follow
          if (this.#clock.now() >= deadline) throw new SessionFaultedError('outcome_unknown', { cause: answer.cause })
          await sleep(this.#clock, delayMs)
          break
        default:
          assertNever(answer, 'append outcome')
      }
    }
  }

  /** A refusal says nothing of an earlier try, so `refused` is what it means for the group. */
  async #send(request: AppendRequest, refused: 'store_failed' | 'outcome_unknown') {
    try {
      return await this.#ledger.append(request)
    } catch (cause) {
      throw new SessionFaultedError(refused, { cause })
    }
  }
}
