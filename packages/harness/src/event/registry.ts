import {
  type AIMessage,
  aiMessageSchema,
  type GateId,
  type InputId,
  type LoopId,
  type StepId,
  type ToolExecutionId,
  type ToolResultMessage,
  type TurnId,
  toolResultMessageSchema,
  usageSchema,
  userMessageSchema,
} from '@looprig/core'
import { z } from 'zod'
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
  turnIndex: z.number().int().positive(),
}
const step = { loopId, turnId: idSchema<TurnId>(), stepId: idSchema<StepId>() }
const compaction = {
  loopId,
  turnId: turn.turnId.exactOptional(),
  reason: z.enum(['automatic', 'manual']),
  through: z.number().int().nonnegative(),
}
const toolExecutionId = idSchema<ToolExecutionId>()
const gateId = idSchema<GateId>()
const errorInfo = bodySchema<ErrorInfo>()({ code: z.string(), message: z.string() })
const stepMessages: z.ZodType<readonly [AIMessage, ...ToolResultMessage[]]> = z.tuple(
  [aiMessageSchema],
  toolResultMessageSchema,
)
const action = z.enum(['approve', 'approve_always', 'deny'])
const denyReasons = ['access_denied', 'access_error', 'rule_denied', 'rule_error', 'approval_required'] as const

/** What is true of a type of event for good. */
export interface EnduringTraits<Body> {
  readonly class: 'enduring'
  /** Whether it belongs to the session or to one of its loops. */
  readonly scope: 'session' | 'loop'
  readonly endsTurn: boolean
  readonly schema: z.ZodType<Body>
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
    schema: bodySchema<SessionStarted>()({ type: z.literal('SessionStarted'), config: manifestSchema }),
  },
  SessionActive: {
    ...enduring,
    scope: 'session',
    schema: bodySchema<SessionActive>()({ type: z.literal('SessionActive') }),
  },
  SessionIdle: { ...enduring, scope: 'session', schema: bodySchema<SessionIdle>()({ type: z.literal('SessionIdle') }) },
  SessionStopped: {
    ...enduring,
    scope: 'session',
    schema: bodySchema<SessionStopped>()({ type: z.literal('SessionStopped') }),
  },
  ConfigurationAdopted: {
    ...enduring,
    scope: 'session',
    schema: bodySchema<ConfigurationAdopted>()({
      type: z.literal('ConfigurationAdopted'),
      config: manifestSchema,
      changes: z.array(driftChangeSchema),
      by: z.string().exactOptional(),
      message: z.string().exactOptional(),
    }),
  },
  ActiveLoopChanged: {
    ...enduring,
    scope: 'session',
    schema: bodySchema<ActiveLoopChanged>()({
      type: z.literal('ActiveLoopChanged'),
      previous: loopId,
      active: loopId,
    }),
  },
  LoopStarted: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<LoopStarted>()({
      type: z.literal('LoopStarted'),
      loopId,
      name: z.string(),
      mode: z.string().exactOptional(),
      parent: agentCallerSchema.exactOptional(),
      label: z.string().exactOptional(),
    }),
  },
  LoopIdle: { ...enduring, scope: 'loop', schema: bodySchema<LoopIdle>()({ type: z.literal('LoopIdle'), loopId }) },
  LoopModeChanged: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<LoopModeChanged>()({
      type: z.literal('LoopModeChanged'),
      loopId,
      previous: z.string(),
      mode: z.string(),
    }),
  },
  LoopInferenceChanged: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<LoopInferenceChanged>()({ type: z.literal('LoopInferenceChanged'), loopId, model: modelSchema }),
  },
  TurnStarted: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<TurnStarted>()({ type: z.literal('TurnStarted'), ...turn, message: userMessageSchema }),
  },
  TurnFoldedInto: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<TurnFoldedInto>()({ type: z.literal('TurnFoldedInto'), ...turn, message: userMessageSchema }),
  },
  TurnRejected: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<TurnRejected>()({
      type: z.literal('TurnRejected'),
      loopId,
      inputId: turn.inputId,
      reason: z.enum(['queue_full', 'denied', 'input_invalid']),
      detail: z.string().exactOptional(),
      message: userMessageSchema,
    }),
  },
  TurnDone: {
    ...terminal,
    schema: bodySchema<TurnDone>()({
      type: z.literal('TurnDone'),
      ...turn,
      usage: usageSchema,
      structured: z.literal(true).exactOptional(),
    }),
  },
  TurnFailed: {
    ...terminal,
    schema: bodySchema<TurnFailed>()({ type: z.literal('TurnFailed'), ...turn, error: errorInfo }),
  },
  TurnInterrupted: {
    ...terminal,
    schema: bodySchema<TurnInterrupted>()({ type: z.literal('TurnInterrupted'), ...turn }),
  },
  InputCancelled: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<InputCancelled>()({
      type: z.literal('InputCancelled'),
      loopId,
      inputId: turn.inputId,
      reason: z.enum(['client_retracted', 'turn_failed', 'turn_interrupted', 'session_stopped']),
      message: userMessageSchema,
    }),
  },
  StepDone: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<StepDone>()({ type: z.literal('StepDone'), ...step, messages: stepMessages }),
  },
  PermissionRequested: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<PermissionRequested>()({
      type: z.literal('PermissionRequested'),
      ...step,
      gateId,
      toolExecutionId,
      request: requestSchema,
      unmet: z.array(requirementSchema),
      actions: z.array(action),
      candidates: z.array(candidateSchema).exactOptional(),
      timeoutMs: z.number().int().positive().exactOptional(),
    }),
  },
  UserInputRequested: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<UserInputRequested>()({
      type: z.literal('UserInputRequested'),
      ...step,
      gateId,
      toolExecutionId,
      question: questionSchema,
      live: z.literal(true).exactOptional(),
    }),
  },
  PermissionDecided: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<PermissionDecided>()({
      type: z.literal('PermissionDecided'),
      ...step,
      toolExecutionId,
      effect: z.enum(['approve', 'deny']),
      reason: z.enum(['access_evaluated', 'rule_allowed', ...denyReasons, 'access_gate_missing', 'gate_capacity']),
      subject: z.string(),
      rule: ruleSchema.exactOptional(),
    }),
  },
  GateResolved: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<GateResolved>()({
      type: z.literal('GateResolved'),
      ...step,
      gateId,
      toolExecutionId,
      reason: z.enum(['answered', 'abandoned', 'rule', 'timeout', 'denied']),
      action: action.exactOptional(),
      answer: z.string().exactOptional(),
      rules: z.array(candidateSchema).exactOptional(),
      rule: ruleSchema.exactOptional(),
      denial: z.enum(denyReasons).exactOptional(),
      by: z.string().exactOptional(),
    }),
  },
  CompactionCommitted: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<CompactionCommitted>()({
      type: z.literal('CompactionCommitted'),
      ...compaction,
      tailFrom: z.number().int().positive(),
      summary: userMessageSchema,
      usage: usageSchema,
    }),
  },
  CompactionRejected: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<CompactionRejected>()({
      type: z.literal('CompactionRejected'),
      ...compaction,
      cause: z.enum(compactionCauses),
      usage: usageSchema.exactOptional(),
    }),
  },
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

/** Says whether a text names a type of event. */
export function isEventType(text: string): text is EventType {
  return Object.hasOwn(eventRegistry, text)
}
