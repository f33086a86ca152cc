import type { LoopRuntime } from '../runtime/loop-runtime.ts'
import type { AgentIdentity, AgentState } from './agent-answer.ts'

/** A loop that another one started. */
export interface Agent extends AgentIdentity {
  readonly loop: LoopRuntime
  readonly parent: LoopRuntime
}

/** What an agent does, as its parent sees it. */
export function stateOf({ loop }: Agent): AgentState {
  return loop.state === 'idle' ? 'idle' : 'working'
}
