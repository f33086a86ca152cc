import { createHash } from 'node:crypto'
import { assertNever } from '@looprig/core'
import type { AppendRequest, Lease, Ledger, NewRecord, StoredRecord } from '@looprig/store'
import { type Clock, sleep } from '../clock/clock.ts'
import { SessionFaultedError } from '../error/errors.ts'
import { bodyVersion } from '../event/event-codec.ts'
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
    if (this.#lease.lost.aborted) throw new SessionFaultedError('lease_lost')
    const { session, epoch } = this.#lease
    const request: AppendRequest = { session, epoch, records: drafts.map(encodeRecord), head }
    const deadline = this.#clock.now() + unknownTimeoutMs
    for (let delayMs = firstResendMs; ; delayMs = Math.min(delayMs * 2, 1_000)) {
      const answer = await this.#send(request)
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

  async #send(request: AppendRequest) {
    try {
      return await this.#ledger.append(request)
    } catch (cause) {
      throw new SessionFaultedError('store_failed', { cause })
    }
  }
}

function encodeRecord({ id, kind, body }: RecordDraft): NewRecord {
  const text = JSON.stringify({ v: bodyVersion, ...body })
  return { id, kind, body: text, digest: createHash('sha256').update(text).digest('hex') }
}
