import type { SessionId } from '@looprig/core'
import type { Clock } from '../clock/clock.ts'
import type { IdSource } from '../clock/id-source.ts'
import type { LoopAgents } from '../delegate/loop-agents.ts'
import type { EphemeralBody } from '../event/event.ts'
import type { GateDirectory } from '../gate/gate-directory.ts'
import type { HookTable } from '../hook/hook-table.ts'
import type { Draft, SessionLog } from '../session/session-log.ts'
import type { TurnResult } from '../session/submission.ts'
import type { LoopHandle } from './loop-handle.ts'

/** A shutdown parks what is queued for a restore; a stop cancels it. */
export type SessionEnding = 'shutdown' | 'stop'

/** What a loop sees of its session. */
export interface LoopHost {
  readonly log: SessionLog
  readonly gates: GateDirectory
  readonly clock: Clock
  readonly ids: IdSource
  readonly sessionId: SessionId
  readonly hooks: HookTable
  emit(event: EphemeralBody): void
  /** What is to be known of the loops that it started, and of the one that started it. */
  readonly agents: LoopAgents
  /** Says whether no other loop of the session has a turn. */
  isAlone(loop: LoopHandle): boolean
  /** Says whether a loop of the session, `except` left out, has a turn that does not only wait for people, or is to have one. */
  works(except?: LoopHandle): boolean
  /** How the session is being ended, once it is. It takes no more work then: nothing queued may start. */
  ending(): SessionEnding | undefined
  /** The session is being opened: nothing that waits starts yet. */
  isHeld(): boolean
  /** What ends a session that is being stopped; joins the append in which `loop`, the last that works, comes to rest. */
  stopped(loop: LoopHandle): Draft | undefined
  /** An input has its outcome; called after its events were delivered. */
  settled(result: TurnResult): void
  /** A turn began, waits, goes on or ended. */
  changed(): void
}
