import type { GateId, SessionId } from '@looprig/core'
import type { Ledger } from '@looprig/store'
import { SessionError } from '../error/errors.ts'
import { checkAnswer } from '../gate/check-answer.ts'
import type { GateAnswer } from '../gate/open-gate.ts'
import { knownGate } from '../restore/known-gate.ts'
import { readSession } from '../restore/read-session.ts'
import type { InputTracker } from './input-tracker.ts'

/** The journal of a session, for what its memory has forgotten: every look reads all of it. */
export class OldRecords {
  readonly #ledger: Ledger
  readonly #sessionId: SessionId

  constructor(ledger: Ledger, sessionId: SessionId) {
    this.#ledger = ledger
    this.#sessionId = sessionId
  }

  /**
   * Judges an answer to a gate that is closed: an equal one was given before.
   *
   * @throws GateError; JournalError, StoreError.
   */
  async checkAnswer(gateId: GateId, answer: GateAnswer): Promise<void> {
    const known = knownGate(await readSession(this.#ledger, this.#sessionId), gateId)
    // one that is open is not in the hands of this process any more
    checkAnswer(gateId, known !== undefined && 'resolved' in known ? known : undefined, answer)
  }

  /**
   * Gives an input that was handed over again the outcome that it had; says whether it was the same.
   *
   * @throws SessionError `outcome_unknown` when the journal cannot be read.
   */
  async takeOutcome(tracker: InputTracker): Promise<boolean> {
    const fold = await readSession(this.#ledger, this.#sessionId).catch((cause: unknown) => {
      throw new SessionError('outcome_unknown', 'the journal could not be read; hand the input over again', { cause })
    })
    const known = fold.inputs.get(tracker.inputId)
    if (known?.result === undefined || known.digest !== tracker.digest) return false
    tracker.accept()
    tracker.settle(known.result)
    return true
  }
}
