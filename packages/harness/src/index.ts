export type { Clock } from './clock/clock.ts'
export type { IdSource } from './clock/id-source.ts'
export type { ErrorInfo } from './error/errors.ts'
export {
  DefinitionError,
  GateError,
  InvalidEventError,
  JournalError,
  LeaseHeldError,
  RestoreRejectedError,
  SessionError,
  SessionFaultedError,
  SubscriptionLossError,
} from './error/errors.ts'
export type {
  Delivery,
  EnduringBody,
  EnduringEnvelope,
  EnduringEvent,
  EphemeralBody,
  EphemeralEnvelope,
  EphemeralEvent,
  Event,
} from './event/event.ts'
export type { GateAction, GateResolved, PermissionRequested } from './event/gate-event.ts'
export type { LoopIdle, LoopStarted } from './event/loop-event.ts'
export type { EnduringTraits, EphemeralTraits, EventType } from './event/registry.ts'
export { eventRegistry } from './event/registry.ts'
export type { SessionActive, SessionIdle, SessionStarted, SessionStopped } from './event/session-event.ts'
export type { Retrying, StepDone, StepScope, ThinkingDelta, TokenDelta, ToolInputDelta } from './event/step-event.ts'
export type { PermissionDecided, ToolCallCompleted, ToolCallStarted } from './event/tool-event.ts'
export type {
  InputCancelled,
  InputQueued,
  TurnDone,
  TurnFailed,
  TurnInterrupted,
  TurnStarted,
} from './event/turn-event.ts'
export { validateEvent } from './event/validate-event.ts'
export type { Evaluation, Gate } from './gate/gate.ts'
export { headlessGate } from './gate/headless-gate.ts'
export type { GateOptions } from './gate/interactive-gate.ts'
export { interactiveGate } from './gate/interactive-gate.ts'
export type { EventFilter } from './hub/event-filter.ts'
export type { Subscription } from './hub/subscription.ts'
export type { LoopDefinition, LoopOptions } from './loop/define-loop.ts'
export { defineLoop } from './loop/define-loop.ts'
export type { LoopLimits } from './loop/limits.ts'
export type { Rig, RigOptions } from './rig/define-rig.ts'
export { defineRig } from './rig/define-rig.ts'
export type { DriftChange } from './rig/drift-change.ts'
export { inspectSession } from './rig/inspect-session.ts'
export type { SessionSummary } from './rig/list-sessions.ts'
export { listSessions } from './rig/list-sessions.ts'
export type { Manifest, ManifestLoop, ManifestTool } from './rig/manifest.ts'
export type { SessionStatus } from './rig/session-head.ts'
export type {
  CallInspection,
  LoopInspection,
  QueuedInput,
  SessionInspection,
  TurnInspection,
} from './rig/session-inspection.ts'
export type { GateAnswer, OpenGate, Session, SubmitOptions, SubscribeOptions } from './session/session.ts'
export type { Submission, TurnResult } from './session/submission.ts'
