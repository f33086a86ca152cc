import type { JsonObject } from '@looprig/core'

/** How far a task is. */
export type TaskStatus = 'pending' | 'in_progress' | 'completed'

/** One task of a loop's plan. */
export interface Task {
  /** A UUID. */
  readonly id: string
  readonly subject: string
  readonly description: string
  /** What is shown while it is in progress, for example `Running the tests`. */
  readonly activeForm?: string
  readonly status: TaskStatus
  /** The ids of the tasks that come first: each once, sorted. */
  readonly blockedBy: readonly string[]
  readonly metadata?: JsonObject
}

/** All tasks of one loop by id, the oldest first. It is never changed: a change makes another graph. */
export type TaskGraph = ReadonlyMap<string, Task>
