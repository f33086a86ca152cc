import type { LoopId } from '@looprig/core'

/** A loop of the session exists. Slot `loop/<loopId>`. */
export interface LoopStarted {
  readonly type: 'LoopStarted'
  readonly loopId: LoopId
  /** The name of its definition. */
  readonly name: string
}

/** The loop has no turn, and nothing queued that it would begin by itself: at a shutdown the queue stays for a restore. */
export interface LoopIdle {
  readonly type: 'LoopIdle'
  readonly loopId: LoopId
}
