import { type AIMessage, addUsage, type Usage } from '@looprig/core'

/** What a turn has used so far: what its limits are about. */
export interface TurnProgress {
  /** The sum over its model responses. */
  readonly usage: Usage
  /** Its model responses with calls. */
  readonly iterations: number
  readonly calls: number
}

/** A turn at its start. */
export const noProgress: TurnProgress = Object.freeze({ usage: Object.freeze({}), iterations: 0, calls: 0 })

/** What a turn has used after one more response. */
export function addResponse(progress: TurnProgress, message: AIMessage, calls: number): TurnProgress {
  return {
    usage: addUsage(progress.usage, message.usage ?? {}),
    iterations: progress.iterations + (calls > 0 ? 1 : 0),
    calls: progress.calls + calls,
  }
}
