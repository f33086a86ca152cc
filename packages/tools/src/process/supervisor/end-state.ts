import type { ProcessEnd, ProcessSignal } from '../../contract/runner.ts'
import type { ProcessReason, ProcessState } from '../../contract/session-resource.ts'

/** What is known when a process has ended. */
export interface EndFacts {
  /** Undefined: the runner broke. */
  readonly end: ProcessEnd | undefined
  readonly hasTimedOut: boolean
  readonly isShuttingDown: boolean
  /** The strongest signal that it was sent. */
  readonly sent: ProcessSignal | undefined
}

/** How it counts. */
export interface EndState {
  readonly state: ProcessState
  readonly reason: ProcessReason
  readonly exitCode?: number
  readonly diagnostic?: string
}

/** How it counts, whoever sent the signal: a call, a key, or the system. */
const bySignal: Readonly<Record<string, ProcessSignal>> = { SIGINT: 'interrupt', SIGTERM: 'terminate', SIGKILL: 'kill' }

/**
 * A deadline counts first, since it is what ended the process; then its own exit; then the
 * signal that ended it, and where that is not known, the strongest one that was sent.
 */
export function endState({ end, hasTimedOut, isShuttingDown, sent }: EndFacts): EndState {
  if (hasTimedOut) return { state: 'timed_out', reason: 'timed_out' }
  if (end === undefined) return failed('the runner lost the process')
  if (end.exitCode !== null) return { state: 'exited', reason: 'exited', exitCode: end.exitCode }
  const signal = (end.signal === undefined ? undefined : bySignal[end.signal]) ?? sent
  if (signal === undefined) return failed(`ended by signal ${end.signal ?? 'unknown'}`)
  if (signal === 'interrupt') return { state: 'interrupted', reason: 'interrupted' }
  const state = signal === 'kill' ? 'killed' : 'terminated'
  return { state, reason: isShuttingDown ? 'runner_shutdown' : state }
}

function failed(diagnostic: string): EndState {
  return { state: 'failed', reason: 'failed', diagnostic }
}
