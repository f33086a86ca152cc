import type { InputId } from '@looprig/core'
import type { NewRecord } from '@looprig/store'
import type { IdSource } from '../clock/id-source.ts'
import type { EnduringBody } from '../event/event.ts'
import { validateEvent } from '../event/validate-event.ts'
import type { InputBody, RunBody, RunEndBody, StepBody } from './record-body.ts'
import { eventSlot, slot } from './slot.ts'

/** A record before it is text. */
export type RecordDraft =
  | { readonly id: string; readonly kind: 'event'; readonly body: EnduringBody }
  | { readonly id: string; readonly kind: Exclude<NewRecord['kind'], 'event'>; readonly body: object }

/** An event's record: its slot, else a new id. An event that breaks its rules throws `InvalidEventError` here. */
export function eventDraft(body: EnduringBody, ids: IdSource): RecordDraft {
  validateEvent(body)
  return { id: eventSlot(body) ?? ids.uuid(), kind: 'event', body }
}

/** An accepted input's record. */
export function inputDraft(inputId: InputId, body: InputBody): RecordDraft {
  return { id: slot.input(inputId), kind: 'input', body }
}

/** An open step's record. */
export function stepDraft(body: StepBody): RecordDraft {
  return { id: slot.step(body.stepId), kind: 'step', body }
}

/** A starting call's record. */
export function runDraft(body: RunBody): RecordDraft {
  return { id: slot.run(body.executionId), kind: 'run', body }
}

/** An ended call's record. */
export function runEndDraft(body: RunEndBody): RecordDraft {
  return { id: slot.runEnd(body.executionId), kind: 'run', body }
}
