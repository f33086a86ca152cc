import {
  type AIMessage,
  aiMessageSchema,
  type Block,
  blocksSchema,
  data,
  type LoopId,
  type StepId,
  type ToolExecutionId,
  type ToolResultMessage,
  type TurnId,
  toolResultMessageSchema,
} from '@looprig/core'
import { type AgentCaller, agentCallerSchema } from '../delegate/agent-caller.ts'
import { bodySchema, idSchema } from '../event/body-schema.ts'
import type { StepScope } from '../event/step-event.ts'

/** An accepted input. Record `in/<inputId>`. */
export interface InputBody {
  readonly loopId: LoopId
  /** Who sent it: a client, or another agent of the session. */
  readonly agency: 'user' | 'machine'
  readonly blocks: readonly Block[]
  /** It starts a turn of its own and is never folded into one that runs. */
  readonly noFold?: true
  /** The call whose request it is; absent for what no call of a loop sent. */
  readonly caller?: AgentCaller
  /** The agent of whose work it tells. */
  readonly from?: LoopId
  /** A resource of the session sent it. */
  readonly notice?: true
}

/** One call of an open step. */
export interface StepCallBody {
  readonly executionId: ToolExecutionId
  readonly toolUseId: string
  readonly name: string
  /** The model's argument text, as it came. */
  readonly argsJson: string
  readonly replaySafe: boolean
  /** SHA-256 over tool, schema, request and artifact: what an approval is bound to. */
  readonly digest?: string
  /** The result of a call that was refused before it could run. */
  readonly refused?: ToolResultMessage
}

/** A step whose calls are decided or waiting, written before the first effect. Private record `step/<stepId>`. */
export interface StepBody extends StepScope {
  readonly message: AIMessage
  readonly calls: readonly StepCallBody[]
}

/** A call starts. Private record `run/<executionId>`. */
export interface RunBody extends StepScope {
  readonly executionId: ToolExecutionId
}

/** A call ended while others of its step still ran. Private record `run/<executionId>/end`. */
export interface RunEndBody extends RunBody {
  readonly result: ToolResultMessage
}

const executionId = idSchema<ToolExecutionId>()
const scope = { loopId: idSchema<LoopId>(), turnId: idSchema<TurnId>(), stepId: idSchema<StepId>() }

/** Reads a stored input. */
export const inputBodySchema = bodySchema<InputBody>()({
  loopId: scope.loopId,
  agency: data.oneOf(['user', 'machine']),
  blocks: blocksSchema,
  noFold: data.literal(true).exactOptional(),
  caller: agentCallerSchema.exactOptional(),
  from: scope.loopId.exactOptional(),
  notice: data.literal(true).exactOptional(),
})

const stepCallSchema = bodySchema<StepCallBody>()({
  executionId,
  toolUseId: data.string(),
  name: data.string(),
  argsJson: data.string(),
  replaySafe: data.boolean(),
  digest: data.string().exactOptional(),
  refused: toolResultMessageSchema.exactOptional(),
})

/** Reads a stored step. */
export const stepBodySchema = bodySchema<StepBody>()({
  ...scope,
  message: aiMessageSchema,
  calls: data.array(stepCallSchema),
})

/** Reads a stored start of a call. */
export const runBodySchema = bodySchema<RunBody>()({ ...scope, executionId })

/** Reads a stored end of a call. */
export const runEndBodySchema = bodySchema<RunEndBody>()({ ...scope, executionId, result: toolResultMessageSchema })
