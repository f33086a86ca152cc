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
import type { ErrorInfo } from '../error/errors.ts'
import { requestSchema, requirementSchema } from '../gate/request-schema.ts'
import { manifestSchema } from '../rig/manifest.ts'
import { bodySchema, idSchema } from './body-schema.ts'
import type { EnduringBody, EphemeralBody } from './event.ts'
import type { GateResolved, PermissionRequested } from './gate-event.ts'
import type { LoopIdle, LoopStarted } from './loop-event.ts'
import type { SessionActive, SessionIdle, SessionStarted, SessionStopped } from './session-event.ts'
import type { StepDone } from './step-event.ts'
import type { PermissionDecided } from './tool-event.ts'
import type { InputCancelled, TurnDone, TurnFailed, TurnInterrupted, TurnStarted } from './turn-event.ts'

const loopId = idSchema<LoopId>()
const turn = {
  loopId,
  turnId: idSchema<TurnId>(),
  inputId: idSchema<InputId>(),
  turnIndex: z.number().int().positive(),
}
const step = { loopId, turnId: idSchema<TurnId>(), stepId: idSchema<StepId>() }
const toolExecutionId = idSchema<ToolExecutionId>()
const gateId = idSchema<GateId>()
const errorInfo = bodySchema<ErrorInfo>()({ code: z.string(), message: z.string() })
const stepMessages: z.ZodType<readonly [AIMessage, ...ToolResultMessage[]]> = z.tuple(
  [aiMessageSchema],
  toolResultMessageSchema,
)
const action = z.enum(['approve', 'deny'])

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
  LoopStarted: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<LoopStarted>()({ type: z.literal('LoopStarted'), loopId, name: z.string() }),
  },
  LoopIdle: { ...enduring, scope: 'loop', schema: bodySchema<LoopIdle>()({ type: z.literal('LoopIdle'), loopId }) },
  TurnStarted: {
    ...enduring,
    scope: 'loop',
    schema: bodySchema<TurnStarted>()({ type: z.literal('TurnStarted'), ...turn, message: userMessageSchema }),
  },
  TurnDone: {
    ...terminal,
    schema: bodySchema<TurnDone>()({ type: z.literal('TurnDone'), ...turn, usage: usageSchema }),
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
      reason: z.enum(['client_retracted', 'turn_failed', 'session_stopped']),
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
      reason: z.enum(['access_evaluated', 'access_denied', 'access_error', 'access_gate_missing', 'approval_required']),
      subject: z.string(),
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
      reason: z.enum(['answered', 'abandoned']),
      action: action.exactOptional(),
      by: z.string().exactOptional(),
    }),
  },
  InputQueued: ephemeral,
  TokenDelta: ephemeral,
  ThinkingDelta: ephemeral,
  ToolInputDelta: ephemeral,
  Retrying: ephemeral,
  ToolCallStarted: ephemeral,
  ToolCallCompleted: ephemeral,
} as const satisfies Registry

/** The name of a type of event. */
export type EventType = keyof typeof eventRegistry

/** Says whether a text names a type of event. */
export function isEventType(text: string): text is EventType {
  return Object.hasOwn(eventRegistry, text)
}
