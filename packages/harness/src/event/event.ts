import type { EventId, SessionId } from '@looprig/core'
import type { CompactionCommitted, CompactionRejected, ContextPressure } from './context-event.ts'
import type { GateResolved, PermissionRequested, UserInputRequested } from './gate-event.ts'
import type { HookFailed } from './hook-event.ts'
import type { LoopIdle, LoopInferenceChanged, LoopModeChanged, LoopStarted } from './loop-event.ts'
import type { ProcessEvent } from './process-event.ts'
import type {
  ActiveLoopChanged,
  ConfigurationAdopted,
  SessionActive,
  SessionIdle,
  SessionStarted,
  SessionStopped,
} from './session-event.ts'
import type { Retrying, StepDone, ThinkingDelta, TokenDelta, ToolInputDelta } from './step-event.ts'
import type { PermissionDecided, ToolCallCompleted, ToolCallStarted, ToolProgress } from './tool-event.ts'
import type {
  InputCancelled,
  InputQueued,
  TurnDone,
  TurnFailed,
  TurnFoldedInto,
  TurnInterrupted,
  TurnRejected,
  TurnStarted,
} from './turn-event.ts'

/** What is journalled of an event: everything but what delivery adds. */
export type EnduringBody =
  | SessionStarted
  | SessionActive
  | SessionIdle
  | SessionStopped
  | ConfigurationAdopted
  | ActiveLoopChanged
  | LoopStarted
  | LoopIdle
  | LoopModeChanged
  | LoopInferenceChanged
  | TurnStarted
  | TurnFoldedInto
  | TurnRejected
  | TurnDone
  | TurnFailed
  | TurnInterrupted
  | InputCancelled
  | StepDone
  | PermissionRequested
  | UserInputRequested
  | PermissionDecided
  | GateResolved
  | CompactionCommitted
  | CompactionRejected
  | ProcessEvent

/** Events that live only while somebody watches. */
export type EphemeralBody =
  | InputQueued
  | TokenDelta
  | ThinkingDelta
  | ToolInputDelta
  | Retrying
  | ToolCallStarted
  | ToolProgress
  | ToolCallCompleted
  | HookFailed
  | ContextPressure

/** What delivery adds to a journalled event. */
export interface EnduringEnvelope {
  readonly sessionId: SessionId
  /** The id of its record. */
  readonly eventId: EventId
  /** The store's time, in milliseconds since 1970. */
  readonly createdAt: number
}

/** What delivery adds to an event that is not journalled. */
export interface EphemeralEnvelope {
  readonly sessionId: SessionId
}

type With<Body, Envelope> = Body extends unknown ? Body & Envelope : never

/** A journalled event as readers get it. */
export type EnduringEvent = With<EnduringBody, EnduringEnvelope>

/** An event that is not journalled, as subscribers get it. */
export type EphemeralEvent = With<EphemeralBody, EphemeralEnvelope>

/** Everything that a session says, told apart by `type`. Deeply frozen. */
export type Event = EnduringEvent | EphemeralEvent

/** One event and its place: `seq` is null for ephemeral ones. Seqs grow and have gaps; do not count them. */
export interface Delivery {
  readonly seq: number | null
  readonly event: Event
}
