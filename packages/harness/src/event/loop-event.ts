import type { LoopId } from '@looprig/core'

/** A loop of the session exists. Slot `loop/<loopId>`. */
export interface LoopStarted {
  readonly type: 'LoopStarted'
  readonly loopId: LoopId
  /** The name of its definition. */
  readonly name: string
}

/** The loop has no turn and nothing queued. */
export interface LoopIdle {
  readonly type: 'LoopIdle'
  readonly loopId: LoopId
}
