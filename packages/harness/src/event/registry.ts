import {
  aiMessageSchema,
  data,
  type GateId,
  type InputId,
  type LoopId,
  type Schema,
  type StepId,
  type ToolExecutionId,
  type TurnId,
  toolResultMessageSchema,
  usageSchema,
  userMessageSchema,
} from '@looprig/core'
import { compactionCauses } from '../context/compaction-result.ts'
import { agentCallerSchema } from '../delegate/agent-caller.ts'
import type { ErrorInfo } from '../error/errors.ts'
import {
  candidateSchema,
  questionSchema,
  requestSchema,
  requirementSchema,
  ruleSchema,
} from '../gate/request-schema.ts'
import { modelSchema } from '../loop/model-schema.ts'
import { driftChangeSchema } from '../rig/drift-change.ts'
import { manifestSchema } from '../rig/manifest.ts'
import { bodySchema, idSchema } from './body-schema.ts'
import type { CompactionCommitted, CompactionRejected } from './context-event.ts'
import type { EnduringBody, EphemeralBody } from './event.ts'
import type { GateResolved, PermissionRequested, UserInputRequested } from './gate-event.ts'
import type { LoopIdle, LoopInferenceChanged, LoopModeChanged, LoopStarted } from './loop-event.ts'
import { processTraits } from './process-traits.ts'
import type {
  ActiveLoopChanged,
  ConfigurationAdopted,
  SessionActive,
  SessionIdle,
  SessionStarted,
  SessionStopped,
} from './session-event.ts'
import type { StepDone } from './step-event.ts'
import type { PermissionDecided } from './tool-event.ts'
import type {
  InputCancelled,
  TurnDone,
  TurnFailed,
  TurnFoldedInto,
  TurnInterrupted,
  TurnRejected,
  TurnStarted,
} from './turn-event.ts'

const loopId = idSchema<LoopId>()
const turn = {
  loopId,
  turnId: idSchema<TurnId>(),
  inputId: idSchema<InputId>(),
  turnIndex: data.int({ min: 1 }),
}
const step = { loopId, turnId: idSchema<TurnId>(), stepId: idSchema<StepId>() }
const compaction = {
  loopId,
  turnId: turn.turnId.exactOptional(),
  reason: data.oneOf(['automatic', 'manual']),
  through: data.int(),
}
const toolExecutionId = idSchema<ToolExecutionId>()
const gateId = idSchema<GateId>()
const errorInfo = bodySchema<ErrorInfo>()({ code: data.string(), message: data.string() })
const stepMessages = data.sequence(aiMessageSchema, toolResultMessageSchema)
const action = data.oneOf(['approve', 'approve_always', 'deny'])
const denyReasons = ['access_denied', 'access_error', 'rule_denied', 'rule_error', 'approval_required'] as const

/** What is true of a type of event for good. */
export interface EnduringTraits<Body> {
  readonly class: 'enduring'
  /** Whether it belongs to the session or to one of its loops. */
  readonly scope: 'session' | 'loop'
  readonly endsTurn: boolean
  readonly schema: Schema<Body>
}

/** What is true of a type of event that is never stored. */
export interface EphemeralTraits {
  readonly class: 'ephemeral'
  readonly scope: 'session' | 'loop'
  readonly endsTurn: false
}

type Registry = { readonly [E in EnduringBody as E['type']]: EnduringTraits<E> } & {
  readonly [E in EphemeralBody as E['type']]: EphemeralTraits
}

const enduring = { class: 'enduring', endsTurn: false } as const
const terminal = { class: 'enduring', scope: 'loop', endsTurn: true } as const
const ephemeral = { class: 'ephemeral', scope: 'loop', endsTurn: false } as const

/** Every type of event, with its class, scope and schema. Validation and the codec derive from it. */
export const eventRegistry = {
  SessionStarted: {
    ...enduring,
    scope: 'session',
    schema: bodySchema<SessionStarted>()({ type: data.literal('SessionStarted'), config: manifestSchema }),
  },
  SessionActive: {
    ...enduring,
    scope: 'session',
    schema: bodySchema<SessionActive>()({ type: data.literal('SessionActive') }),
  },
  SessionIdle: {
    ...enduring,
    scope: 'session',
    schema: bodySchema<SessionIdle>()({ type: data.literal('SessionIdle') }),
  },
  SessionStopped: {
    ...enduring,
    scope: 'session',
    schema: bodySchema<SessionStopped>()({ type: data.literal('SessionStopped') }),
  },
  ConfigurationAdopted: {
    ...enduring,
    scope: 'session',
    schema: bodySchema<ConfigurationAdopted>()({
      type: data.literal('ConfigurationAdopted'),
      config: manifestSchema,
      changes: data.array(driftChangeSchema),
      by: data.string().exactOptional(),
      message: data.string().exactOptional(),
    }),
  },
  ActiveLoopChanged: {
    ...enduring,
    scope: 'session',
    schema: bodySchema<ActiveLoopChanged>()({
      type: data.literal('ActiveLoopChanged'),
      previous: loopId,
      active: loopId,
    }),
  },
  LoopStarted: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<LoopStarted>()({
      type: data.literal('LoopStarted'),
      loopId,
      name: data.string(),
      mode: data.string().exactOptional(),
      parent: agentCallerSchema.exactOptional(),
      label: data.string().exactOptional(),
    }),
  },
  LoopIdle: { ...enduring, scope: 'loop', schema: bodySchema<LoopIdle>()({ type: data.literal('LoopIdle'), loopId }) },
  LoopModeChanged: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<LoopModeChanged>()({
      type: data.literal('LoopModeChanged'),
      loopId,
      previous: data.string(),
      mode: data.string(),
    }),
  },
  LoopInferenceChanged: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<LoopInferenceChanged>()({
      type: data.literal('LoopInferenceChanged'),
      loopId,
      model: modelSchema,
    }),
  },
  TurnStarted: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<TurnStarted>()({ type: data.literal('TurnStarted'), ...turn, message: userMessageSchema }),
  },
  TurnFoldedInto: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<TurnFoldedInto>()({ type: data.literal('TurnFoldedInto'), ...turn, message: userMessageSchema }),
  },
  TurnRejected: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<TurnRejected>()({
      type: data.literal('TurnRejected'),
      loopId,
      inputId: turn.inputId,
      reason: data.oneOf(['queue_full', 'denied', 'input_invalid']),
      detail: data.string().exactOptional(),
      message: userMessageSchema,
    }),
  },
  TurnDone: {
    ...terminal,
    schema: bodySchema<TurnDone>()({
      type: data.literal('TurnDone'),
      ...turn,
      usage: usageSchema,
      structured: data.literal(true).exactOptional(),
    }),
  },
  TurnFailed: {
    ...terminal,
    schema: bodySchema<TurnFailed>()({ type: data.literal('TurnFailed'), ...turn, error: errorInfo }),
  },
  TurnInterrupted: {
    ...terminal,
    schema: bodySchema<TurnInterrupted>()({ type: data.literal('TurnInterrupted'), ...turn }),
  },
  InputCancelled: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<InputCancelled>()({
      type: data.literal('InputCancelled'),
      loopId,
      inputId: turn.inputId,
      reason: data.oneOf(['client_retracted', 'turn_failed', 'turn_interrupted', 'session_stopped']),
      message: userMessageSchema,
    }),
  },
  StepDone: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<StepDone>()({ type: data.literal('StepDone'), ...step, messages: stepMessages }),
  },
  PermissionRequested: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<PermissionRequested>()({
      type: data.literal('PermissionRequested'),
      ...step,
      gateId,
      toolExecutionId,
      request: requestSchema,
      unmet: data.array(requirementSchema),
      actions: data.array(action),
      candidates: data.array(candidateSchema).exactOptional(),
      timeoutMs: data.int({ min: 1 }).exactOptional(),
    }),
  },
  UserInputRequested: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<UserInputRequested>()({
      type: data.literal('UserInputRequested'),
      ...step,
      gateId,
      toolExecutionId,
      question: questionSchema,
      live: data.literal(true).exactOptional(),
      timeoutMs: data.int({ min: 1 }).exactOptional(),
    }),
  },
  PermissionDecided: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<PermissionDecided>()({
      type: data.literal('PermissionDecided'),
      ...step,
      toolExecutionId,
      effect: data.oneOf(['approve', 'deny']),
      reason: data.oneOf(['access_evaluated', 'rule_allowed', ...denyReasons, 'access_gate_missing', 'gate_capacity']),
      subject: data.string(),
      rule: ruleSchema.exactOptional(),
    }),
  },
  GateResolved: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<GateResolved>()({
      type: data.literal('GateResolved'),
      ...step,
      gateId,
      toolExecutionId,
      reason: data.oneOf(['answered', 'abandoned', 'rule', 'timeout', 'denied']),
      action: action.exactOptional(),
      answer: data.string().exactOptional(),
      rules: data.array(candidateSchema).exactOptional(),
      rule: ruleSchema.exactOptional(),
      denial: data.oneOf(denyReasons).exactOptional(),
      by: data.string().exactOptional(),
    }),
  },
  CompactionCommitted: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<CompactionCommitted>()({
      type: data.literal('CompactionCommitted'),
      ...compaction,
      tailFrom: data.int({ min: 1 }),
      summary: userMessageSchema,
      usage: usageSchema,
    }),
  },
  CompactionRejected: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<CompactionRejected>()({
      type: data.literal('CompactionRejected'),
      ...compaction,
      cause: data.oneOf(compactionCauses),
      usage: usageSchema.exactOptional(),
    }),
  },
  ...processTraits,
  InputQueued: ephemeral,
  TokenDelta: ephemeral,
  ThinkingDelta: ephemeral,
  ToolInputDelta: ephemeral,
  Retrying: ephemeral,
  ToolCallStarted: ephemeral,
  ToolProgress: ephemeral,
  ToolCallCompleted: ephemeral,
  HookFailed: ephemeral,
  ContextPressure: ephemeral,
} as const satisfies Registry

/** The name of a type of event. */
export type EventType = keyof typeof eventRegistry

const eventTypes: ReadonlySet<string> = new Set(Object.keys(eventRegistry))

/** Says whether a text names a type of event. */
export function isEventType(text: string): text is EventType {
  return eventTypes.has(text)
}
