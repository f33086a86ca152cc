import type { LoopId } from '@looprig/core'
import type { LoopDefinition } from '../loop/define-loop.ts'
import type { LoopChoice } from '../loop/loop-choice.ts'
import type { TurnIdentity, TurnSoFar } from './active-turn.ts'
import type { History } from './history.ts'
import type { WaitingInput } from './input-queue.ts'
import type { LoopTools } from './loop-config.ts'
import type { TurnResume } from './turn-resume.ts'

/** What a loop is made of. */
export interface LoopState {
  readonly id: LoopId
  readonly definition: LoopDefinition
  readonly tools: LoopTools
  readonly history: History
  readonly turnIndex: number
  readonly queue: readonly WaitingInput[]
  /** Who started it as an agent, and how that one calls it. */
  readonly agent?: { readonly parentId: LoopId; readonly name: string } | undefined
  /** What was chosen of it; absent in a new session. */
  readonly choice?: LoopChoice
}

/** A turn that a restore found open and that goes on. */
export interface ResumedTurn extends TurnResume {
  /** As the journal tells it, with what was chosen of the loop when it began. */
  readonly turn: TurnIdentity & TurnSoFar & { readonly choice: LoopChoice }
}
