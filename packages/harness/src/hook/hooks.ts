import type { Denial } from './denial.ts'
import type { GuardedOperation, HookOperation, HookSubjects } from './hook-subject.ts'

/** How an operation ended. `interrupted`: it was stopped, by a person, a shutdown, or the end of its session. */
export type HookOutcome = 'completed' | 'denied' | 'failed' | 'interrupted'

/** What a guard is given besides the subject. */
export interface GuardContext {
  /** Aborted when the answer matters no more. */
  readonly signal: AbortSignal
}

/** Judges an operation before it happens: throws or returns a `Denial` to deny it, returns nothing to let it pass. */
export type GuardCheck<O extends GuardedOperation> = (
  subject: HookSubjects[O],
  context: GuardContext,
) => Denial | undefined | Promise<Denial | undefined>

/** Told how an operation ended, once. */
export type HookFinish = (outcome: HookOutcome) => void

/** Told that an operation begins. May return who is told of its end. */
export type HookBegin<O extends HookOperation> = (subject: HookSubjects[O]) => HookFinish | undefined

/** One guard: an operation, and who judges it. */
export type Guard = {
  readonly [O in GuardedOperation]: { readonly operation: O; readonly check: GuardCheck<O> }
}[GuardedOperation]

/** One observer: an operation, and who is told of it. It waits for nothing and changes nothing. */
export type Observer = {
  readonly [O in HookOperation]: { readonly operation: O; readonly begin: HookBegin<O> }
}[HookOperation]

/** Checked hooks. Any number of rigs can share them; only `defineHooks` makes them. */
export interface Hooks {
  /** Names what the guards enforce; recorded with every session. Absent without guards. */
  readonly policyRevision: string | undefined
}
