import { type AIMessage, assertNever, type LoopId, type Usage } from '@looprig/core'
import type { ErrorInfo } from '../error/errors.ts'
import type { EnduringBody } from '../event/event.ts'
import type { StepScope } from '../event/step-event.ts'
import type { SessionStatus } from '../rig/session-head.ts'
import type { TurnIdentity } from './active-turn.ts'
import { stepDone } from './open-step.ts'

/**
 * How a turn ends. `step` makes the events of a last step that joins the terminal in one append; call it when that
 * append is decided, since a gate of the step may be answered until then.
 */
export type TurnEnd =
  /** `isStructured`: the answer is the output of its loop. */
  | { readonly outcome: 'done'; readonly step: LastStep; readonly usage: Usage; readonly isStructured?: true }
  | { readonly outcome: 'failed'; readonly step: LastStep; readonly error: ErrorInfo }
  | { readonly outcome: 'interrupted'; readonly step: LastStep }
  /** The session is parked while the turn waits for people: nothing is written. */
  | { readonly outcome: 'parked' }

/** An end that is written. */
export type DurableEnd = Exclude<TurnEnd, { readonly outcome: 'parked' }>

type LastStep = () => readonly EnduringBody[]

/** The end of a turn whose model answered without a call: nothing is no answer. */
export function answeredEnd(scope: StepScope, message: AIMessage, usage: Usage): TurnEnd {
  if (message.blocks.length > 0) return { outcome: 'done', step: () => [stepDone(scope, message, [])], usage }
  return failedEnd({ code: 'empty_response', message: 'the model answered with nothing' })
}

/** The end of a turn that can go no further, with its last step if it has one. */
export function failedEnd(error: ErrorInfo, step: LastStep = () => []): TurnEnd {
  return { outcome: 'failed', step, error }
}

/** The event that ends a turn. */
export function terminalEvent(
  loopId: LoopId,
  { turnId, inputId, turnIndex }: TurnIdentity,
  end: DurableEnd,
): EnduringBody {
  const scope = { loopId, turnId, inputId, turnIndex }
  switch (end.outcome) {
    case 'done':
      return { type: 'TurnDone', ...scope, usage: end.usage, ...(end.isStructured ? { structured: true } : {}) }
    case 'failed':
      return { type: 'TurnFailed', ...scope, error: end.error }
    case 'interrupted':
      return { type: 'TurnInterrupted', ...scope }
    default:
      return assertNever(end, 'turn end')
  }
}

/** What lists show of a session whose last turn ended like this. */
export function restingStatus({ outcome }: DurableEnd): SessionStatus {
  return outcome === 'done' ? 'idle' : outcome
}
