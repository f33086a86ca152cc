import type { LoopId, TurnId } from '@looprig/core'
import type { HookOperation } from '../hook/hook-subject.ts'

/** An observer of the rig's hooks threw, or its promise rejected: it was skipped and changed nothing. Ephemeral. */
export interface HookFailed {
  readonly type: 'HookFailed'
  readonly loopId: LoopId
  /** Absent for an operation between turns. */
  readonly turnId?: TurnId
  readonly operation: HookOperation
  /** Which observer: its place in `around`. What it threw is not told: it may hold anything. */
  readonly index: number
  readonly phase: 'begin' | 'finish'
}
