import { GateError } from '../error/errors.ts'
import type { GateAnswer, OpenGate } from '../gate/open-gate.ts'
import type { Session } from '../session/session.ts'

/** A gate and what it was answered with. */
export interface AnsweredGate {
  readonly gate: OpenGate
  readonly answer: GateAnswer
}

/** Someone who answers the gates of a session. */
export interface GateAnswerer {
  /** What was answered so far, in that order. */
  readonly answered: readonly AnsweredGate[]
  /** Answers no more. Safe to call again. */
  close(): void
  /** Resolves when it answers no more: it was closed, or the session ended. Rejects with what kept it from answering. */
  readonly ended: Promise<void>
}

/**
 * Answers the gates of a session as they open, those included that are open now, one after another, the oldest first.
 *
 * @param decide - what a person would say; nothing leaves the gate to somebody else. Asked once per gate.
 */
export function answerGates(
  session: Pick<Session, 'gates' | 'answer' | 'subscribe'>,
  decide: (gate: OpenGate) => GateAnswer | undefined | Promise<GateAnswer | undefined>,
): GateAnswerer {
  const events = session.subscribe({ filter: { types: ['PermissionRequested', 'UserInputRequested'] } })
  const answered: AnsweredGate[] = []
  const seen = new Set<OpenGate['gateId']>()
  const answerOpen = async () => {
    for (const gate of session.gates()) {
      if (seen.has(gate.gateId)) continue
      seen.add(gate.gateId)
      const answer = await decide(gate)
      if (answer === undefined) continue
      await session.answer(gate.gateId, answer).catch(ignoreClosed)
      answered.push(Object.freeze({ gate, answer }))
    }
  }
  const run = async () => {
    await answerOpen()
    for await (const _ of events) await answerOpen()
  }
  const ended = run()
  ended.catch(() => undefined) // nobody has to look at it
  return { answered, ended, close: () => events.close() }
}

/** It was closed meanwhile, by an interrupt or by somebody else. */
function ignoreClosed(error: unknown): void {
  if (!(error instanceof GateError && error.code === 'already_resolved')) throw error
}
