import type { TurnId } from '@looprig/core'
import type { InferenceClient, InferenceRequest, Model } from '@looprig/inference'
import type { HookRunner } from '../hook/hook-runner.ts'
import type { Draft } from '../session/session-log.ts'

/** A moment at which no step of a loop is open: before a model request of a turn, or at rest. */
export interface Boundary {
  /** The turn that runs. */
  readonly turnId: TurnId | undefined
  readonly client: InferenceClient
  readonly model: Model
  readonly hooks: HookRunner
  /** Ends whatever waits here. */
  readonly signal: AbortSignal
  /** The request that the loop would send next. */
  next(): InferenceRequest
  /** See `SessionLog.commit`. */
  commit(decide: () => Draft | undefined): Promise<void>
}
