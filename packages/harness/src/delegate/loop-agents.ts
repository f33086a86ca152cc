import type { LoopHandle } from '../runtime/loop-handle.ts'
import type { OpenStep } from '../runtime/open-step.ts'
import type { StepCall } from '../runtime/step-call.ts'
import type { Draft } from '../session/session-log.ts'
import type { TurnResult } from '../session/submission.ts'

/** What a loop has to know of the agents that it started, and of the loop that started it. */
export interface LoopAgents {
  /** Says whether all that still runs of a step are agents that wait for people. */
  waitsForPeople(step: OpenStep): boolean
  /** Says whether a call waits for an agent all of whose turn waits for people. */
  isAsking(call: StepCall): boolean
  /** Says whether an agent may be parked where it waits: not while the turn that waits for it is closed. */
  mayPark(loop: LoopHandle): boolean
  /** Interrupts what a loop started, also in the background; resolves when the ends of all are durable. */
  stopBelow(loop: LoopHandle): Promise<void>
  /** The calls of a step have their results: what they asked for is forgotten. */
  leave(step: OpenStep): void
  /**
   * Gives the calls of a step that is about to be closed what their agents came to; `signal` says how it is stopped.
   * `resultBytes` is the loop's limit of one result.
   */
  finish(step: OpenStep, signal: AbortSignal, resultBytes: number): Promise<void>
  /**
   * What tells the parent of an agent how its turn ended, or that a request was dropped, as far as nobody waits for it.
   * Part of the append that makes the outcome durable.
   */
  handBack(loop: LoopHandle, results: readonly TurnResult[]): Draft | undefined
}
