import type { LoopId } from '@looprig/core'
import type { DriftChange } from '../rig/drift-change.ts'
import type { Manifest } from '../rig/manifest.ts'

/** The first event: the session exists, with the configuration it was made with. Slot `session`. */
export interface SessionStarted {
  readonly type: 'SessionStarted'
  readonly config: Manifest
}

/** The session goes on with another configuration than before: the last one counts. Written by the restore that took it. */
export interface ConfigurationAdopted {
  readonly type: 'ConfigurationAdopted'
  /** All of the new configuration. */
  readonly config: Manifest
  readonly changes: readonly DriftChange[]
  /** Who decided, as the decider named them. */
  readonly by?: string
  /** Why, in the decider's words. */
  readonly message?: string
}

/** Some loop began to work. */
export interface SessionActive {
  readonly type: 'SessionActive'
}

/** No loop works. */
export interface SessionIdle {
  readonly type: 'SessionIdle'
}

/** Another loop takes the session's inputs from now on. */
export interface ActiveLoopChanged {
  readonly type: 'ActiveLoopChanged'
  readonly previous: LoopId
  readonly active: LoopId
}

/** The session was stopped for good: its last event, with nothing open or queued. Slot `session/end`. */
export interface SessionStopped {
  readonly type: 'SessionStopped'
}
