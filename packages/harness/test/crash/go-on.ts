import type { Session } from '../../src/index.ts'
import { askQuestion, rounds } from '../restore/rich-session.ts'

/**
 * Asks for a compaction and for all questions again, under the same ids, as a client does that got no answer; approves
 * what waits.
 */
export async function goOn(session: Session): Promise<void> {
  const compacted = session.compact()
  for (const questions of rounds) {
    const results = questions.map((question) => askQuestion(session, question).result())
    while ((await session.waitIdle({ orWaiting: true })) === 'waiting') {
      for (const gate of session.gates()) await session.answer(gate.gateId, { action: 'approve' })
    }
    await Promise.all(results)
  }
  await compacted
}
