import type { Manifest } from '../rig/manifest.ts'

/** The first event: the session exists, with the configuration it was made with. Slot `session`. */
export interface SessionStarted {
  readonly type: 'SessionStarted'
  readonly config: Manifest
}

/** Some loop began to work. */
export interface SessionActive {
  readonly type: 'SessionActive'
}

/** No loop works. */
export interface SessionIdle {
  readonly type: 'SessionIdle'
}

/** The session was stopped for good: its last event, with nothing open or queued. Slot `session/end`. */
export interface SessionStopped {
  readonly type: 'SessionStopped'
}
