import type { SessionId } from '@looprig/core'
import type { Store } from '@looprig/store'
import { type Clock, systemClock } from '../clock/clock.ts'
import { type IdSource, systemIds } from '../clock/id-source.ts'
import { DefinitionError } from '../error/errors.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import type { Session } from '../session/session.ts'
import { createSession } from './create-session.ts'
import { inspectSession } from './inspect-session.ts'
import { listSessions, type SessionSummary } from './list-sessions.ts'
import { restoreSession } from './restore-session.ts'
import type { RigParts } from './rig-parts.ts'
import type { SessionInspection } from './session-inspection.ts'

/** What a rig is made of. */
export interface RigOptions {
  /** Recorded with every session. Default `rig`. */
  readonly name?: string | undefined
  /** At least one, names differ; each session starts all of them, and the first takes the inputs. */
  readonly loops: readonly LoopDefinition[]
  /** Stays the caller's: close it after the sessions. */
  readonly store: Store
  /** Where tools that require a workspace work. `root` must be there; links in it are resolved once per session. */
  readonly workspace?: { readonly root: string } | undefined
  /** For tests. Default: this machine's. */
  readonly clock?: Clock | undefined
  /** For tests. Default: UUIDv7. */
  readonly ids?: IdSource | undefined
}

/** Everything that a session is made from. Only a rig makes or restores a session. */
export interface Rig {
  /**
   * Makes a session: durable when it returns.
   *
   * @throws DefinitionError `workspace.root` when it is not a folder; DefinitionBuildError, StoreError;
   *   SessionFaultedError when it is not certain whether the store wrote.
   */
  newSession(): Promise<Session>
  /**
   * Takes a session over and repairs what a crash left open; doing it again changes nothing. Inputs that were accepted
   * and never ran are queued again and begin at once.
   *
   * @throws SessionError `session_not_found` or `session_stopped`, LeaseHeldError, RestoreRejectedError, JournalError, StoreError,
   *   DefinitionError, DefinitionBuildError; nothing of the journal was changed then. SessionFaultedError when it is
   *   not certain whether the store wrote; restore again.
   */
  restoreSession(id: SessionId): Promise<Session>
  /** All sessions of the store that have an input, the last active first. */
  sessions(): Promise<readonly SessionSummary[]>
  /**
   * Reads where any session of the store stands, also one that a live process owns or another rig made. Takes no lease
   * and writes nothing.
   *
   * @throws SessionError `session_not_found`, JournalError, StoreError.
   */
  inspect(id: SessionId): Promise<SessionInspection>
}

/**
 * Assembles loops, store and workspace.
 *
 * @throws DefinitionError naming the option at fault.
 */
export function defineRig(options: RigOptions): Rig {
  const [first, ...more] = checkLoops(options.loops)
  if (options.store?.ledger === undefined || options.store.leases === undefined) {
    throw new DefinitionError('store', 'expected a store')
  }
  if (options.workspace === undefined) checkNoWorkspaceTool(options.loops)
  else if (typeof options.workspace.root !== 'string') throw new DefinitionError('workspace.root', 'expected a path')
  const parts: RigParts = Object.freeze({
    name: options.name ?? 'rig',
    loops: Object.freeze([first, ...more] as const),
    store: options.store,
    workspace: options.workspace === undefined ? undefined : Object.freeze({ ...options.workspace }),
    clock: options.clock ?? systemClock,
    ids: options.ids ?? systemIds,
  })
  return Object.freeze({
    newSession: () => createSession(parts),
    restoreSession: (id: SessionId) => restoreSession(parts, id),
    sessions: () => listSessions(parts.store),
    inspect: (id: SessionId) => inspectSession(parts.store, id),
  })
}

function checkLoops(loops: readonly LoopDefinition[]): readonly [LoopDefinition, ...LoopDefinition[]] {
  const [first, ...more] = Array.isArray(loops) ? (loops as readonly LoopDefinition[]) : []
  if (first === undefined) throw new DefinitionError('loops', 'expected at least one loop')
  for (const [index, loop] of loops.entries()) {
    if (loop?.limits === undefined) throw new DefinitionError(`loops[${index}]`, 'expected what defineLoop returns')
  }
  if (new Set(loops.map((loop) => loop.name)).size !== loops.length) {
    throw new DefinitionError('loops', 'expected names that differ')
  }
  return [first, ...more]
}

function checkNoWorkspaceTool(loops: readonly LoopDefinition[]): void {
  for (const definition of loops.flatMap((loop) => loop.tools)) {
    if (definition.requires.includes('workspace')) {
      throw new DefinitionError('workspace', `${definition.name} requires one`)
    }
  }
}
