/** What an append that is written makes of the session's `wakeAt`, shared by all stores. */
import type { CheckedAppend } from '../request/append-request.ts'

/** What the store knows of the session when it decides. */
export interface WakeState {
  readonly tip: number
  readonly wakeAt: number | undefined
}

/** The `wakeAt` after the append, which is stamped with `at`. Not for a group that was there already. */
export function decideWake(request: CheckedAppend, state: WakeState, at: number): number | undefined {
  const { epoch, wakeAt, seen } = request
  if (wakeAt === undefined) return epoch === undefined ? earlier(state.wakeAt, at) : state.wakeAt
  const given = wakeAt ?? undefined
  return seen !== undefined && state.tip > seen ? earlier(state.wakeAt, given) : given
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Math.min(a, b)
}
