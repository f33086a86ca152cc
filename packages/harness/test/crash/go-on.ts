import type { Session } from '../../src/index.ts'
import { askQuestion, questions } from '../restore/rich-session.ts'

/**
 * Asks all questions again under the same ids, and for a compaction, as a client does that got no answer; approves what
 * waits.
 */
export async function goOn(session: Session): Promise<void> {
  const compacted = session.compact()
  const results = questions.map((question) => askQuestion(session, question).result())
  while ((await session.waitIdle({ orWaiting: true })) === 'waiting') {
    for (const gate of session.gates()) await session.answer(gate.gateId, { action: 'approve' })
  }
  await Promise.all([compacted, ...results])
}
