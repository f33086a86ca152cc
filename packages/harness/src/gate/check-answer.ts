import { type GateId, headWithin } from '@looprig/core'
import { isAnswerTo } from '@looprig/tools'
import { GateError } from '../error/errors.ts'
import type { GateResolved } from '../event/gate-event.ts'
import type { GateAnswer, OpenGate } from './open-gate.ts'

/** How much is kept of the name of who answered. */
const maxNameBytes = 256

/** What is known of a gate: that it is open, or how it was resolved. */
export type KnownGate =
  | { readonly open: OpenGate }
  | { readonly resolved: Pick<GateResolved, 'reason' | 'action' | 'answer'> }

/**
 * Judges an answer by what the journal says of the gate: `fresh` when it is the first, `repeated` when an equal one was
 * given before. The owner of a session and every other process judge by this one rule.
 *
 * @param known - nothing when the session has no such gate.
 * @param now - the store's time, where the owner may not be there to end a gate whose time is over.
 * @throws GateError.
 */
export function checkAnswer(
  gateId: GateId,
  known: KnownGate | undefined,
  answer: GateAnswer,
  now?: number,
): 'fresh' | 'repeated' {
  if (known === undefined) throw new GateError('gate_not_found', gateId)
  const { action, text } = readAnswer(answer)
  if ('resolved' in known) {
    const { reason, action: before, answer: said } = known.resolved
    const isEqual = said === undefined ? before !== undefined && before === action : said === text
    if (reason === 'answered' && isEqual) return 'repeated'
    throw new GateError('already_resolved', gateId, before)
  }
  const { open } = known
  if (open.kind === 'question') {
    if (action !== undefined) throw new GateError('kind_mismatch', gateId)
    if (text === undefined || !isAnswerTo(open.question, text)) throw new GateError('answer_invalid', gateId)
  } else {
    if (text !== undefined) throw new GateError('kind_mismatch', gateId)
    if (!open.actions.some((offered) => offered === action)) throw new GateError('action_invalid', gateId)
  }
  if (now !== undefined && now >= (open.expiresAtMs ?? Number.POSITIVE_INFINITY)) {
    throw new GateError('gate_expired', gateId)
  }
  return 'fresh'
}

/** The record of an answer that `checkAnswer` called fresh. */
export function answeredGate(gate: OpenGate, answer: GateAnswer): GateResolved {
  const { loopId, turnId, stepId, gateId, toolExecutionId } = gate
  const by = answer.by === undefined ? {} : { by: headWithin(String(answer.by).toWellFormed(), maxNameBytes) }
  const resolved = {
    type: 'GateResolved',
    loopId,
    turnId,
    stepId,
    gateId,
    toolExecutionId,
    reason: 'answered',
  } as const
  const { action, text } = readAnswer(answer)
  if (gate.kind === 'question') return { ...resolved, answer: text ?? '', ...by }
  const chosen = gate.actions.find((offered) => offered === action) ?? 'deny'
  const rules = chosen === 'approve_always' ? { rules: gate.candidates ?? [] } : {}
  return { ...resolved, action: chosen, ...rules, ...by }
}

/** A copy of an answer at the moment of its call: what its caller changes later is no answer. */
export function copyAnswer(answer: GateAnswer): GateAnswer {
  return Object.freeze({ ...answer })
}

/** Reads an answer of a caller without types: an action, a text, or neither. */
function readAnswer(answer: GateAnswer | null | undefined): {
  readonly action: unknown
  readonly text: string | undefined
} {
  const { action, answer: text } = (answer ?? {}) as { readonly action?: unknown; readonly answer?: unknown } // proved: read as unknown
  return { action, text: typeof text === 'string' ? text : undefined }
}
