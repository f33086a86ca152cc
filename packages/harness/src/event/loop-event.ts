import type { LoopId } from '@looprig/core'
import type { Model } from '@looprig/inference'
import type { AgentCaller } from '../delegate/agent-caller.ts'

/** A loop of the session exists. Slot `loop/<loopId>`. */
export interface LoopStarted {
  readonly type: 'LoopStarted'
  readonly loopId: LoopId
  /** The name of its definition. */
  readonly name: string
  /** The mode in which it begins; absent for the base mode. */
  readonly mode?: string
  /** The call that started it as an agent; absent for a loop that started with its session. */
  readonly parent?: AgentCaller
  /** What its parent calls it; absent for the name of its definition. */
  readonly label?: string
}

/**
 * The loop has no turn, and nothing queued that it would begin by itself: at a shutdown the queue stays for a restore, and
 * an input that a guard still judges does not count.
 */
export interface LoopIdle {
  readonly type: 'LoopIdle'
  readonly loopId: LoopId
}

/** The loop has another mode, in force from its next turn on; a turn that runs keeps its own. `''` is the base mode. */
export interface LoopModeChanged {
  readonly type: 'LoopModeChanged'
  readonly loopId: LoopId
  readonly previous: string
  readonly mode: string
}

/** The loop asks another model, from its next turn on; a turn that runs keeps its own. */
export interface LoopInferenceChanged {
  readonly type: 'LoopInferenceChanged'
  readonly loopId: LoopId
  readonly model: Model
}
