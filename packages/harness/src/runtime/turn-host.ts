import type { Message, TurnId } from '@looprig/core'
import type { InferenceRequest, ToolSpec } from '@looprig/inference'
import type { Tool } from '@looprig/tools'
import type { Clock } from '../clock/clock.ts'
import type { IdSource } from '../clock/id-source.ts'
import type { ErrorInfo } from '../error/errors.ts'
import type { EnduringBody, EphemeralBody } from '../event/event.ts'
import type { StepScope } from '../event/step-event.ts'
import type { GateDirectory } from '../gate/gate-directory.ts'
import type { HookRunner } from '../hook/hook-runner.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import type { Draft } from '../session/session-log.ts'
import type { OpenStep } from './open-step.ts'

/** Why a turn is stopped from outside: by a person, by a shutdown while it runs, or parked while it waits. */
export type StopReason = 'interrupt' | 'shutdown' | 'park' | 'fault'

/** What a running turn has to tell of its calls, so that they can start agents. */
export interface TurnAgents {
  /** The calls of this step run from here on. */
  enter(step: OpenStep): void
  /** A call has ended: what is left may only wait for people. */
  changed(): void
  /** The turn is stopped: gives the calls that have no result what their agents came to, the agents being stopped first. */
  finish(step: OpenStep): Promise<void>
}

/** What a running turn sees of its loop and session. */
export interface TurnHost {
  /** As it is in force for this turn. */
  readonly loop: LoopDefinition
  readonly turnId: TurnId
  /** Counted from 1 within the loop. */
  readonly turnIndex: number
  readonly tools: ReadonlyMap<string, Tool>
  readonly toolSpecs: readonly ToolSpec[]
  readonly gates: GateDirectory
  readonly clock: Clock
  readonly ids: IdSource
  readonly hooks: HookRunner
  /** Aborted with a `StopReason`. */
  readonly signal: AbortSignal
  /** The scope of a new step. */
  newStep(): StepScope
  /** The committed transcript, a snapshot. */
  history(): readonly Message[]
  /** Decides and commits; see `SessionLog.commit`. */
  commit(decide: () => Draft | undefined): Promise<void>
  /**
   * Commits a finished step after which the model is asked again: its events durable, then history, then delivery. What
   * waits for the loop and may join the turn does so in the same append.
   */
  commitStep(events: readonly EnduringBody[]): Promise<void>
  /**
   * Called before each request to the model, with no step open: history may be replaced here. `next` makes the request
   * as it would be sent. What it returns ends the turn as failed. It heeds the turn's signal.
   */
  readonly atBoundary?: ((next: () => InferenceRequest) => Promise<ErrorInfo | undefined>) | undefined
  /** Called when a provider refused a request as too long: says whether history is shorter now. */
  readonly recover?: ((next: () => InferenceRequest) => Promise<boolean>) | undefined
  /** The agents of the loop, where it may have some. */
  readonly agents?: TurnAgents | undefined
  /** Tells subscribers something that is not journalled. */
  emit(event: EphemeralBody): void
  /** Says whether other loops have work while this turn only waits for people. */
  worksBeside(): boolean
  /** Says whether the turn only waits for people, so that a shutdown may park it. */
  setWaiting(waiting: boolean): void
  /** Says that it waits for nobody but for a rule to be written, or does so no longer. */
  setSaving(saving: boolean): void
}
