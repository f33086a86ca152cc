/** What an owner process is told, and what it tells: plain data. */
import type { InputId, SessionId } from '@looprig/core'
import type { Event, TurnResult } from '../../src/index.ts'
import type { RigPlan } from './durable-rig.ts'

/** What happens at one append of an owner: the first that holds all of these texts. */
export interface AppendPoint {
  /** Each is part of `kind id body` of a record of the group. */
  readonly holding: readonly string[]
  /** `kill` is by SIGKILL, `stop` by SIGSTOP: before it is sent, or when it is durable and not yet acknowledged. */
  readonly do: 'kill before' | 'kill after' | 'kill after its first record' | 'stop before' | 'stop after'
}

/** What an owner process is made of. */
export interface OwnerPlan extends RigPlan {
  readonly at?: AppendPoint | undefined
  /**
   * Its leases end by time, as those of a database server: others may take over while it is stopped. Whether the owner
   * sees on its clock, when it goes on, that its time was over.
   */
  readonly leaseByTime?: 'noticed' | 'unnoticed' | undefined
}

/** What an owner process is told, one line each; without an id its latest session is meant. */
export type Command =
  | { readonly do: 'new' }
  | { readonly do: 'restore'; readonly id: SessionId }
  | { readonly do: 'interrupt' | 'shutdown'; readonly id?: SessionId }
  | { readonly do: 'submit'; readonly id?: SessionId; readonly text: string; readonly inputId?: InputId }
  /** A call that is held may end. */
  | { readonly do: 'end'; readonly value: string }

/** What an owner process tells, one line each. */
export interface Told {
  /** It has a session. */
  readonly session?: SessionId
  /** A restore was refused. */
  readonly refused?: { readonly id: SessionId; readonly code: string }
  /** It is about to stop. */
  readonly stopping?: true
  readonly event?: Event
  /** What people and agents say in a request to the model of `main`. */
  readonly asked?: readonly string[]
  readonly result?: TurnResult
  /** A session ended: by this fault, or as it was told. */
  readonly ended?: { readonly id: SessionId; readonly reason: string }
}
