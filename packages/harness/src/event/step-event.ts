import type { AIMessage, LoopId, StepId, ToolResultMessage, TurnId } from '@looprig/core'

/** Where a step belongs. */
export interface StepScope {
  readonly loopId: LoopId
  readonly turnId: TurnId
  readonly stepId: StepId
}

/** One model response and the results of all its calls, one per call, in call order. Slot `step/<stepId>/end`. */
export interface StepDone extends StepScope {
  readonly type: 'StepDone'
  readonly messages: readonly [AIMessage, ...ToolResultMessage[]]
}

/** More text of the answer. Ephemeral; `StepDone` replaces it. */
export interface TokenDelta extends StepScope {
  readonly type: 'TokenDelta'
  readonly blockIndex: number
  readonly text: string
}

/** More of the model's thinking. Ephemeral. */
export interface ThinkingDelta extends StepScope {
  readonly type: 'ThinkingDelta'
  readonly blockIndex: number
  readonly text: string
}

/** More of the argument text of a call that the model is writing. Ephemeral. */
export interface ToolInputDelta extends StepScope {
  readonly type: 'ToolInputDelta'
  readonly blockIndex: number
  readonly toolUseId: string
  readonly name: string
  readonly text: string
}

/** The model request failed before any content and is sent again after `delayMs`. Ephemeral. */
export interface Retrying extends StepScope {
  readonly type: 'Retrying'
  /** The attempt that failed, counted from 1. */
  readonly attempt: number
  readonly delayMs: number
  readonly code: string
}
