import {
  assertNever,
  type GateId,
  type InputId,
  type LoopId,
  type StepId,
  type ToolExecutionId,
  type TurnId,
} from '@looprig/core'
import type { EnduringBody } from '../event/event.ts'

/** The ids of records that may be there once: what is true once has one id, so the first writer wins. */
export const slot = {
  session: 'session',
  sessionEnd: 'session/end',
  loop: (id: LoopId) => `loop/${id}`,
  input: (id: InputId) => `in/${id}`,
  inputEnd: (id: InputId) => `in/${id}/end`,
  turnEnd: (id: TurnId) => `turn/${id}/end`,
  step: (id: StepId) => `step/${id}`,
  stepEnd: (id: StepId) => `step/${id}/end`,
  gate: (id: GateId) => `gate/${id}`,
  gateEnd: (id: GateId) => `gate/${id}/end`,
  run: (id: ToolExecutionId) => `run/${id}`,
  runEnd: (id: ToolExecutionId) => `run/${id}/end`,
} as const

/** The slot of an event, or `undefined` for an event that may be there many times. */
export function eventSlot(body: EnduringBody): string | undefined {
  switch (body.type) {
    case 'SessionStarted':
      return slot.session
    case 'SessionStopped':
      return slot.sessionEnd
    case 'LoopStarted':
      return slot.loop(body.loopId)
    case 'TurnStarted':
    case 'TurnFoldedInto':
    case 'TurnRejected':
    case 'InputCancelled':
      return slot.inputEnd(body.inputId)
    case 'TurnDone':
    case 'TurnFailed':
    case 'TurnInterrupted':
      return slot.turnEnd(body.turnId)
    case 'StepDone':
      return slot.stepEnd(body.stepId)
    case 'PermissionRequested':
    case 'UserInputRequested':
      return slot.gate(body.gateId)
    case 'GateResolved':
      return slot.gateEnd(body.gateId)
    case 'ConfigurationAdopted':
    case 'SessionActive':
    case 'SessionIdle':
    case 'LoopIdle':
    case 'LoopModeChanged':
    case 'LoopInferenceChanged':
    case 'ActiveLoopChanged':
    case 'PermissionDecided':
    case 'CompactionCommitted':
    case 'CompactionRejected':
      return undefined
    case 'ProcessStarted':
    case 'ProcessBackgrounded':
    case 'ProcessStopRequested':
    case 'ProcessCompleted':
    case 'ProcessLost':
      // who tells of it gives the id: see `SessionServices`
      return undefined
    default:
      return assertNever(body, 'event')
  }
}
