import type {
  GateId,
  InputId,
  JsonValue,
  LoopId,
  SessionId,
  StepId,
  ToolExecutionId,
  TurnId,
  UserMessage,
} from '@looprig/core'
import type { InferenceRequest } from '@looprig/inference'
import type { ToolRequest } from '@looprig/tools'

/** Whose operation it is. */
export interface HookScope {
  readonly sessionId: SessionId
  readonly loopId: LoopId
  /** The name of the loop's definition. */
  readonly loopName: string
}

/** One turn, from before its guards to its end. */
export interface TurnSubject extends HookScope {
  readonly turnId: TurnId
  readonly inputId: InputId
  readonly turnIndex: number
  readonly message: UserMessage
}

/** One step: a model response and the calls of it. */
export interface StepSubject extends HookScope {
  readonly turnId: TurnId
  readonly stepId: StepId
}

/** One model request. */
export interface InferenceSubject extends StepSubject {
  readonly request: InferenceRequest
}

/** One compaction of a loop's history. */
export interface CompactionSubject extends HookScope {
  /** The turn at whose boundary it runs, if it was not asked for between turns. */
  readonly turnId?: TurnId
  /** The seq of the last record that the summary will cover. */
  readonly through: number
}

/** One call that a tool prepared, from before its guards and the gate to its result. */
export interface ToolCallSubject extends StepSubject {
  readonly toolExecutionId: ToolExecutionId
  readonly toolUseId: string
  readonly toolName: string
  /** One line of what it does, without secrets. */
  readonly summary: string
  /** The access that it needs. */
  readonly request: ToolRequest
  /** What would run. */
  readonly artifact: JsonValue
  readonly replaySafe: boolean
}

/** One question to a person, while it is open. */
export interface GateWaitSubject extends StepSubject {
  readonly gateId: GateId
  readonly toolExecutionId: ToolExecutionId
  readonly toolName: string
}

/** What hooks are told of each operation: data, deeply frozen. */
export interface HookSubjects {
  readonly turn: TurnSubject
  readonly step: StepSubject
  readonly inference: InferenceSubject
  readonly compaction: CompactionSubject
  readonly tool_call: ToolCallSubject
  readonly gate_wait: GateWaitSubject
  /** From the start of an approved call, middlewares included, to its result. */
  readonly tool_execution: ToolCallSubject
}

/** The name of an operation that hooks see. */
export type HookOperation = keyof HookSubjects

/** The operations that a guard may deny. */
export type GuardedOperation = 'turn' | 'inference' | 'compaction' | 'tool_call'
