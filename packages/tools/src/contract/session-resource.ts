import type { InputId, LoopId, ToolExecutionId } from '@looprig/core'

/** Where a process stands: the last seven are final. */
export type ProcessState =
  | 'starting'
  | 'running'
  | 'exited'
  | 'failed'
  | 'timed_out'
  | 'interrupted'
  | 'terminated'
  | 'killed'
  | 'lost_on_restore'

/** Why a process is where it is. */
export type ProcessReason =
  | 'exited'
  | 'failed'
  | 'timed_out'
  | 'interrupted'
  | 'terminated'
  | 'killed'
  | 'runner_shutdown'
  | 'output_limit'
  | 'lost_on_restore'

/** One step in the life of a process of a session, as the journal tells it: no output, no pid, no path. */
export interface ProcessLifecycle {
  /** Minted and kept before the step is taken, so that telling it again is the same event. */
  readonly eventId: string
  readonly kind: 'started' | 'backgrounded' | 'stop_requested' | 'completed' | 'lost'
  /** Whose process it is. */
  readonly loopId: LoopId
  /** Opaque: letters, digits, `_` and `-`, at most 128. */
  readonly processId: string
  /** The call that started it. */
  readonly executionId: ToolExecutionId
  readonly state: ProcessState
  readonly reason?: ProcessReason | undefined
  /** Set where the process exited by itself. */
  readonly exitCode?: number | undefined
  /** In milliseconds since 1970, as the two below. */
  readonly createdAt: number
  readonly startedAt?: number | undefined
  readonly finishedAt?: number | undefined
  /** One line for people, at most 512 bytes; only with `completed` and `failed`, or `lost`. */
  readonly diagnostic?: string | undefined
}

/** What a session does for a resource of it. */
export interface SessionResourceServices {
  /** Journals it once: the same `eventId` again changes nothing. */
  publish(event: ProcessLifecycle): Promise<void>
  /** Puts a text before the loop's model as an input of its own, once per `inputId`. */
  notify(notice: { readonly inputId: InputId; readonly loopId: LoopId; readonly text: string }): Promise<void>
}

/**
 * Something that lives as long as a session is open, shared by the tools of all its loops, for example the supervisor of
 * its processes.
 */
export interface SessionResource {
  /** Called once, after the session is open or restored, before its first turn goes on. */
  activate(services: SessionResourceServices): Promise<void>
  /** Called once, when the session stops, parks or faults. The resource bounds its own time. */
  shutdown(): Promise<void>
}

/** The resources of one session. */
export interface SessionResources {
  /**
   * Gives the one resource of this key and session; makes it at the first call. Concurrent callers get the same one; a
   * failed creation may be tried again.
   *
   * @param create - `directory` is a private folder (mode 0700) of this key, kept over restores.
   */
  getOrCreate<T extends SessionResource>(key: string, create: (directory: string) => Promise<T>): Promise<T>
}
