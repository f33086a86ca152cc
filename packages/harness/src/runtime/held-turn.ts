import type { ResumedTurn } from './loop-state.ts'
import { untilAborted } from './until-aborted.ts'

/**
 * A turn that goes on no further than to its people's answers before `ready` resolves, and never when that rejects. Until
 * then it counts as waiting, since nothing of it runs: who shuts the session down leaves it to the next restore.
 */
export function heldTurn(turn: ResumedTurn, ready: Promise<void>): ResumedTurn {
  let isReady = false
  const released = ready.then(
    () => {
      isReady = true
    },
    () => new Promise<void>(() => undefined),
  )
  return {
    ...turn,
    ask: async (host) => {
      host.setWaiting(true)
      await turn.ask({ ...host, setWaiting: (waiting) => host.setWaiting(waiting || !isReady) })
      await untilAborted(released, host.signal)
      if (!host.signal.aborted) host.setWaiting(false)
    },
  }
}
