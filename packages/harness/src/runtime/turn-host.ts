import type { Message, TurnId } from '@looprig/core'
import type { ToolSpec } from '@looprig/inference'
import type { Tool } from '@looprig/tools'
import type { Clock } from '../clock/clock.ts'
import type { IdSource } from '../clock/id-source.ts'
import type { EnduringBody, EphemeralBody } from '../event/event.ts'
import type { StepScope } from '../event/step-event.ts'
import type { GateDirectory } from '../gate/gate-directory.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import type { Draft } from '../session/session-log.ts'

/** Why a turn is stopped from outside: by a person, by a shutdown while it runs, or parked while it waits. */
export type StopReason = 'interrupt' | 'shutdown' | 'park' | 'fault'

/** What a running turn sees of its loop and session. */
export interface TurnHost {
  readonly loop: LoopDefinition
  readonly turnId: TurnId
  readonly tools: ReadonlyMap<string, Tool>
  readonly toolSpecs: readonly ToolSpec[]
  readonly gates: GateDirectory
  readonly clock: Clock
  readonly ids: IdSource
  /** Aborted with a `StopReason`. */
  readonly signal: AbortSignal
  /** The scope of a new step. */
  newStep(): StepScope
  /** The committed transcript, a snapshot. */
  history(): readonly Message[]
  /** Decides and commits; see `SessionLog.commit`. */
  commit(decide: () => Draft | undefined): Promise<void>
  /** Commits a finished step: its events durable, then history, then delivery. */
  commitStep(events: readonly EnduringBody[]): Promise<void>
  /** Tells subscribers something that is not journalled. */
  emit(event: EphemeralBody): void
  /** Says whether the turn only waits for people, so that a shutdown may park it. */
  setWaiting(waiting: boolean): void
}
