import { data, type LoopId, type StepId, type ToolExecutionId, type TurnId } from '@looprig/core'
import { bodySchema, idSchema } from '../event/body-schema.ts'
import type { StepScope } from '../event/step-event.ts'

/** The call of a loop that an agent works for. */
export interface AgentCaller extends StepScope {
  readonly toolExecutionId: ToolExecutionId
  /** The call did not wait for the answer: that comes as an input of its loop. */
  readonly background?: true
}

/** Reads a stored caller. */
export const agentCallerSchema = bodySchema<AgentCaller>()({
  loopId: idSchema<LoopId>(),
  turnId: idSchema<TurnId>(),
  stepId: idSchema<StepId>(),
  toolExecutionId: idSchema<ToolExecutionId>(),
  background: data.literal(true).exactOptional(),
})
