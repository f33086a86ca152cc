import type { GateId } from '@looprig/core'
import type { IdSource } from '../clock/id-source.ts'
import { answeredGate, checkAnswer } from '../gate/check-answer.ts'
import type { GateAnswer } from '../gate/open-gate.ts'
import { eventDraft, type RecordDraft } from '../journal/record-draft.ts'
import { knownGate } from '../restore/known-gate.ts'
import type { SessionFold } from '../restore/session-fold.ts'

/**
 * The record of an answer from a process that does not own the session; none for an answer that was given before.
 *
 * @param now - the store's time: nobody may be there to end a gate whose time is over.
 * @throws GateError.
 */
export function resolveGate(
  fold: SessionFold,
  gateId: GateId,
  answer: GateAnswer,
  ids: IdSource,
  now: number,
): readonly RecordDraft[] {
  const known = knownGate(fold, gateId)
  if (checkAnswer(gateId, known, answer, now) === 'repeated' || known === undefined || !('open' in known)) return []
  return [eventDraft(answeredGate(known.open, answer), ids)]
}
