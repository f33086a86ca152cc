import type { LoopId, ToolExecutionId } from '@looprig/core'
import type { ProcessReason, ProcessState } from '@looprig/tools'

/** A process that a call started and that a resource of the session looks after. Times are in milliseconds since 1970. */
export interface ProcessScope {
  /** The loop whose process it is. */
  readonly loopId: LoopId
  /** Opaque: letters, digits, `_` and `-`, at most 128. It names the process to the tools of its loop. */
  readonly processId: string
  /** The call that started it. */
  readonly toolExecutionId: ToolExecutionId
  readonly processCreatedAt: number
}

/** A process runs, and its call waits for it. */
export interface ProcessStarted extends ProcessScope {
  readonly type: 'ProcessStarted'
  readonly processStartedAt: number
}

/** A process runs that its call does not wait for, from its start or since then. */
export interface ProcessBackgrounded extends ProcessScope {
  readonly type: 'ProcessBackgrounded'
  readonly processStartedAt: number
}

/** Somebody wants a process to end; it may still run. */
export interface ProcessStopRequested extends ProcessScope {
  readonly type: 'ProcessStopRequested'
  readonly state: 'starting' | 'running'
  readonly reason: 'interrupted' | 'terminated' | 'killed'
  readonly processStartedAt?: number
}

/** A process has ended, however it did; what it printed is with the tools. */
export interface ProcessCompleted extends ProcessScope {
  readonly type: 'ProcessCompleted'
  readonly state: Exclude<ProcessState, 'starting' | 'running' | 'lost_on_restore'>
  /** As `state`; a process that was ended may also tell what for. */
  readonly reason: Exclude<ProcessReason, 'lost_on_restore'>
  /** With `exited`, and only then. */
  readonly exitCode?: number
  readonly processStartedAt?: number
  readonly processFinishedAt: number
  /** One line for people, at most 512 bytes; only with `failed`. */
  readonly diagnostic?: string
}

/**
 * The session's process ended while this one ran, and nobody looks after it any more: it is never adopted. It may have
 * ended by itself, or may still run.
 */
export interface ProcessLost extends ProcessScope {
  readonly type: 'ProcessLost'
  readonly processStartedAt?: number
  /** When that was noticed. */
  readonly processFinishedAt?: number
  readonly diagnostic?: string
}

/** What is journalled of a process. */
export type ProcessEvent = ProcessStarted | ProcessBackgrounded | ProcessStopRequested | ProcessCompleted | ProcessLost
