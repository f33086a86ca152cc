import type { SessionId } from '@looprig/core'
import type { Store } from '@looprig/store'
import { type Clock, systemClock } from '../clock/clock.ts'
import { type IdSource, systemIds } from '../clock/id-source.ts'
import { type DelegationLimits, resolveDelegationLimits } from '../delegate/delegation-limits.ts'
import { checkTopology } from '../delegate/topology.ts'
import { DefinitionError } from '../error/errors.ts'
import type { Delivery } from '../event/event.ts'
import { openHooks } from '../hook/define-hooks.ts'
import type { Hooks } from '../hook/hooks.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import { allTools } from '../loop/effective-loop.ts'
import { checkResources, type ResourceOptions } from '../resource/resource-options.ts'
import type { Session } from '../session/session.ts'
import { checkAppFields } from './app-fields.ts'
import { createSession } from './create-session.ts'
import type { RestoreDecider } from './drift-decider.ts'
import { checkDriftOptions } from './drift-options.ts'
import { dueSessions } from './due-sessions.ts'
import { inspectSession } from './inspect-session.ts'
import { listSessions, type SessionSummary } from './list-sessions.ts'
import { restoreSession } from './restore-session.ts'
import type { RigParts } from './rig-parts.ts'
import type { SessionInspection } from './session-inspection.ts'
import { type SessionMailbox, sessionMailbox } from './session-mailbox.ts'
import { type WatchOptions, watchSession } from './watch-session.ts'

/** What a rig is made of. */
export interface RigOptions {
  /** Recorded with every session. Default `rig`. */
  readonly name?: string | undefined
  /** At least one, names differ. */
  readonly loops: readonly LoopDefinition[]
  /**
   * The names of the loops that start with a session; the first takes the inputs. The others are there to be started by
   * these: every loop must be a primer or be reached from one by `delegates`. Default: the loops that no other names as
   * a delegate.
   */
  readonly primers?: readonly string[] | undefined
  /** How far the agents of one session may spread. */
  readonly delegation?: { readonly [K in keyof DelegationLimits]?: number | undefined } | undefined
  /** Stays the caller's: close it after the sessions. */
  readonly store: Store
  /** Where tools that require a workspace work. `root` must be there; links in it are resolved once per session. */
  readonly workspace?: { readonly root: string } | undefined
  /**
   * Lets tools that require `processes` keep what they share for a whole session, such as processes that outlive their
   * call. Without it such a tool cannot be built (`missing_dependency`).
   */
  readonly resources?: ResourceOptions | undefined
  /**
   * What the application tells of itself, for example its version: recorded as it is with every session, so nothing
   * secret. At most 64, names and values of at most 128 bytes. Another value is a change of configuration.
   */
  readonly appFields?: Readonly<Record<string, string>> | undefined
  /**
   * Decides whether a restored session goes on with a rig that differs from the one it last ran with. Default:
   * `adoptInfo`; also `adoptAll` and `adoptFields`.
   */
  readonly onDrift?: RestoreDecider | undefined
  /** How long `onDrift` may take; later is a rejection. Default 30,000 ms, at most a day. */
  readonly driftTimeoutMs?: number | undefined
  /**
   * How long a person's approval counts that no process has spent yet, by the store's clock: a session that is restored
   * later tells the model `approval_expired`. Default one hour, at most 30 days.
   */
  readonly approvalTtlMs?: number | undefined
  /**
   * How many gates of one session may be open at a time; a call that would open one more is denied, and the model reads
   * that. Default 128, from 1 to 1,024.
   */
  readonly maxOpenGates?: number | undefined
  /** Guards and observers of what every session of this rig does; see `defineHooks`. Default: none. */
  readonly hooks?: Hooks | undefined
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
   *   SessionError `resource_failed`; SessionFaultedError when it is not certain whether the store wrote.
   */
  newSession(): Promise<Session>
  /**
   * Takes a session over and repairs what a crash left open; doing it again changes nothing. A turn that waits for
   * people goes on waiting, and runs what they approve exactly once; any other open turn is interrupted. Inputs that
   * were accepted and never ran are queued again and begin at once.
   *
   * @throws SessionError `session_not_found` or `session_stopped`, LeaseHeldError, RestoreRejectedError, JournalError, StoreError,
   *   DefinitionError, DefinitionBuildError; nothing of the journal was changed then. SessionError `resource_failed`:
   *   it is repaired and free again. SessionFaultedError when it is not certain whether the store wrote; restore again.
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
  /** What any process with the store may do to a session: hand over an input, take it back, answer a gate. */
  mailbox(id: SessionId): SessionMailbox
  /**
   * Follows the durable events of a session, whoever owns it; see `watchSession`.
   *
   * @throws SessionError `session_not_found`, `since_ahead`, `since_invalid`, JournalError, StoreError, when iterated.
   */
  watch(id: SessionId, options?: WatchOptions): AsyncIterable<Delivery>
  /**
   * The sessions that have work and no owner: inputs that wait, answers that nobody took, gates that have expired,
   * turns whose process is gone. A worker restores them. The longest due first.
   */
  due(): Promise<readonly SessionId[]>
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
    ...checkTopology([first, ...more], options.primers),
    delegation: resolveDelegationLimits(options.delegation),
    store: options.store,
    workspace: options.workspace === undefined ? undefined : Object.freeze({ ...options.workspace }),
    resources: checkResources(options.resources),
    clock: options.clock ?? systemClock,
    ids: options.ids ?? systemIds,
    appFields: checkAppFields(options.appFields),
    ...checkDriftOptions(options),
    hooks: openHooks(options.hooks),
    approvalTtlMs: checkApprovalTtl(options.approvalTtlMs),
    maxOpenGates: checkOpenGates(options.maxOpenGates),
  })
  return Object.freeze({
    newSession: () => createSession(parts),
    restoreSession: (id: SessionId) => restoreSession(parts, id),
    sessions: () => listSessions(parts.store),
    inspect: (id: SessionId) => inspectSession(parts.store, id),
    mailbox: (id: SessionId) => sessionMailbox(parts, id),
    watch: (id: SessionId, options?: WatchOptions) => watchSession(parts.store.ledger, id, options),
    due: () => dueSessions(parts.store),
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

const maxApprovalTtlMs = 30 * 86_400_000

function checkApprovalTtl(ms = 3_600_000): number {
  if (ms > 0 && ms <= maxApprovalTtlMs) return ms
  throw new DefinitionError('approvalTtlMs', `expected more than 0 and at most ${maxApprovalTtlMs} milliseconds`)
}

function checkOpenGates(count = 128): number {
  if (Number.isSafeInteger(count) && count >= 1 && count <= 1_024) return count
  throw new DefinitionError('maxOpenGates', 'expected a whole number from 1 to 1024')
}

function checkNoWorkspaceTool(loops: readonly LoopDefinition[]): void {
  for (const definition of loops.flatMap(allTools)) {
    if (definition.requires.includes('workspace')) {
      throw new DefinitionError('workspace', `${definition.name} requires one`)
    }
  }
}
