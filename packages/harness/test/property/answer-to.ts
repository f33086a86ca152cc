import type { GateAnswer, OpenGate } from '../../src/index.ts'

/** What a person says: `yes`, `always` where that is offered, else no. */
export function answerTo(gate: OpenGate, word = 'deny'): GateAnswer {
  if (gate.kind === 'question') return { answer: word === 'deny' ? 'no' : 'yes' }
  const wanted = word === 'always' ? 'approve_always' : word === 'yes' ? 'approve' : 'deny'
  return { action: gate.actions.find((action) => action === wanted) ?? 'deny' }
}
