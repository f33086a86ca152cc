export type { Clock } from './clock/clock.ts'
export type { IdSource } from './clock/id-source.ts'
export type { CompactionCause, CompactionReason, CompactionResult } from './context/compaction-result.ts'
export type { ContextCounter } from './context/context-counter.ts'
export type { ContextLevel } from './context/context-level.ts'
export type { ContextPolicy, ContextPolicyOptions } from './context/context-policy.ts'
export type { AgentCaller } from './delegate/agent-caller.ts'
export type { DelegationStyle } from './delegate/agent-menu.ts'
export type { DelegationLimits } from './delegate/delegation-limits.ts'
export type { DelegateOptions, LoopDelegates } from './delegate/loop-delegates.ts'
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
export type { CompactionCommitted, CompactionRejected, ContextPressure } from './event/context-event.ts'
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
export type {
  DenyReason,
  GateAction,
  GateResolved,
  PermissionRequested,
  UserInputRequested,
} from './event/gate-event.ts'
export type { HookFailed } from './event/hook-event.ts'
export type { LoopIdle, LoopInferenceChanged, LoopModeChanged, LoopStarted } from './event/loop-event.ts'
export type {
  ProcessBackgrounded,
  ProcessCompleted,
  ProcessEvent,
  ProcessLost,
  ProcessScope,
  ProcessStarted,
  ProcessStopRequested,
} from './event/process-event.ts'
export type { PublicEventOptions } from './event/public-event.ts'
export { publicEvents } from './event/public-event.ts'
export type { EnduringTraits, EphemeralTraits, EventType } from './event/registry.ts'
export { eventRegistry } from './event/registry.ts'
export type {
  ActiveLoopChanged,
  ConfigurationAdopted,
  SessionActive,
  SessionIdle,
  SessionStarted,
  SessionStopped,
} from './event/session-event.ts'
export type { Retrying, StepDone, StepScope, ThinkingDelta, TokenDelta, ToolInputDelta } from './event/step-event.ts'
export type { PermissionDecided, ToolCallCompleted, ToolCallStarted, ToolProgress } from './event/tool-event.ts'
export type {
  InputCancelled,
  InputQueued,
  TurnDone,
  TurnFailed,
  TurnFoldedInto,
  TurnInterrupted,
  TurnRejected,
  TurnStarted,
} from './event/turn-event.ts'
export { validateEvent } from './event/validate-event.ts'
export type { Evaluation, Gate, GrantRequest } from './gate/gate.ts'
export type { GateOptions, InteractiveGateOptions } from './gate/gate-options.ts'
export { headlessGate } from './gate/headless-gate.ts'
export { interactiveGate } from './gate/interactive-gate.ts'
export type { GateAnswer, OpenGate, OpenPermission, OpenQuestion } from './gate/open-gate.ts'
export type { HooksOptions } from './hook/define-hooks.ts'
export { defineHooks } from './hook/define-hooks.ts'
export { Denial } from './hook/denial.ts'
export type {
  CompactionSubject,
  GateWaitSubject,
  GuardedOperation,
  HookOperation,
  HookScope,
  HookSubjects,
  InferenceSubject,
  StepSubject,
  ToolCallSubject,
  TurnSubject,
} from './hook/hook-subject.ts'
export type {
  Guard,
  GuardCheck,
  GuardContext,
  HookBegin,
  HookFinish,
  HookOutcome,
  Hooks,
  Observer,
} from './hook/hooks.ts'
export type { EventFilter } from './hub/event-filter.ts'
export type { Subscription } from './hub/subscription.ts'
export type { LoopDefinition, LoopOptions } from './loop/define-loop.ts'
export { defineLoop } from './loop/define-loop.ts'
export type { LimitOptions, LoopLimits } from './loop/limits.ts'
export type { BaseMode, DefinedMode, LoopMode } from './loop/loop-mode.ts'
export { MiddlewareError } from './middleware/middleware-error.ts'
export type { MiddlewareCall, NextInChain, ToolMiddleware } from './middleware/tool-middleware.ts'
export type { OutputSpec } from './output/output-spec.ts'
export type { ResourceOptions } from './resource/resource-options.ts'
export type { Rig, RigOptions } from './rig/define-rig.ts'
export { defineRig } from './rig/define-rig.ts'
export type { DriftAssessment, DriftCategory, DriftChange, DriftSeverity } from './rig/drift-change.ts'
export type { DriftDecision, RestoreDecider } from './rig/drift-decider.ts'
export { adoptAll, adoptFields, adoptInfo } from './rig/drift-decider.ts'
export { formatDrift } from './rig/drift-table.ts'
export { inspectSession } from './rig/inspect-session.ts'
export type { SessionSummary } from './rig/list-sessions.ts'
export { listSessions } from './rig/list-sessions.ts'
export type {
  Manifest,
  ManifestAppField,
  ManifestGate,
  ManifestLimit,
  ManifestLoop,
  ManifestMode,
  ManifestTool,
} from './rig/manifest.ts'
export type { SessionStatus } from './rig/session-head.ts'
export type {
  CallInspection,
  LoopInspection,
  QueuedInput,
  SessionInspection,
  TurnInspection,
} from './rig/session-inspection.ts'
export type { SessionMailbox } from './rig/session-mailbox.ts'
export type { WatchOptions } from './rig/watch-session.ts'
export type { RuntimeContext, RuntimeContextInfo } from './runtime-context/runtime-context.ts'
export type {
  Session,
  SessionLoop,
  SubmitOptions,
  SubscribeOptions,
} from './session/session.ts'
export type { Submission, TurnResult } from './session/submission.ts'
