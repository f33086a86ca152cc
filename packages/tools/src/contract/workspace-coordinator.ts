import { isAbsolute, normalize, sep } from 'node:path'
import { ToolError } from './errors.ts'

/** The right to go on; who holds it gives it back. */
export interface Permit {
  /** Idempotent. */
  release(): void
}

/** What one call is about to change. Every path is absolute, clean and canonical. */
export type WorkspaceOperation =
  /** One file or folder, with what is below it. */
  | { readonly kind: 'path'; readonly path: string }
  /** Anything. */
  | { readonly kind: 'whole' }
  /** Takes or restores a picture of the whole workspace. */
  | { readonly kind: 'checkpoint' }

/** What a process that outlives its call may write. Every path is absolute, clean and canonical. */
export type WorkspaceAccess =
  | { readonly kind: 'read_only' }
  /** Without any path it is as `read_only`. */
  | { readonly kind: 'scoped_write'; readonly paths: readonly string[]; readonly trees: readonly string[] }
  | { readonly kind: 'broad_write' }

/**
 * Keeps writers of one workspace apart: one instance per session and root. Paths overlap when they are equal or one is
 * above the other. Writers of paths that do not overlap go on side by side; `whole`, `checkpoint` and `broad_write` wait
 * for every writer and every writer waits for them; `read_only` waits for nobody and nobody for it.
 *
 * First come, first served: who waits is overtaken only by what conflicts neither with it nor with anything ahead of it.
 * At most 4,096 wait.
 *
 * Both reject with a `ToolError`: `interrupted` when the signal is aborted first (the message says whether a call or a
 * process is waited for), `workspace_busy` when too many wait, `invalid_workspace_access` when a path is not absolute and
 * clean.
 */
export interface WorkspaceCoordinator {
  /** For one call: release it when the call is over. */
  acquire(operation: WorkspaceOperation, signal: AbortSignal): Promise<Permit>
  /** For a process: release it when the process has ended. The signal ends the wait only. */
  acquireLifetime(access: WorkspaceAccess, signal: AbortSignal): Promise<Permit>
}

/** The most that wait at once. */
const maxWaiters = 4_096

/** Makes the coordinator of one session and root; nothing holds it yet. */
export function createWorkspaceCoordinator(): WorkspaceCoordinator {
  return new FairCoordinator()
}

/** `all`, or the paths, each with a separator at its end, so that a path above another is a prefix of it. */
type Claim = 'all' | readonly string[]

/** One that holds or waits. It may go on once nothing that came before and conflicts with it is left. */
interface Entry {
  readonly claim: Claim
  /** A process holds it, which may go on for hours. */
  readonly isLifetime: boolean
  blockers: number
  /** Lets it go on; absent once it does. */
  grant: (() => void) | undefined
}

class FairCoordinator implements WorkspaceCoordinator {
  /** In the order in which they came. */
  readonly #entries = new Set<Entry>()
  #waiting = 0

  async acquire(operation: WorkspaceOperation, signal: AbortSignal): Promise<Permit> {
    return this.#enter(operation.kind === 'path' ? [scope(operation.path)] : 'all', false, signal)
  }

  async acquireLifetime(access: WorkspaceAccess, signal: AbortSignal): Promise<Permit> {
    if (access.kind === 'read_only') return this.#enter([], true, signal)
    const claim = access.kind === 'broad_write' ? 'all' : [...access.paths, ...access.trees].map(scope)
    return this.#enter(claim, true, signal)
  }

  #enter(claim: Claim, isLifetime: boolean, signal: AbortSignal): Promise<Permit> {
    if (signal.aborted) return Promise.reject(interrupted('interrupted before the workspace was asked for'))
    const entry: Entry = { claim, isLifetime, blockers: 0, grant: undefined }
    for (const earlier of this.#entries) if (conflict(earlier.claim, claim)) entry.blockers += 1
    if (entry.blockers > 0 && this.#waiting >= maxWaiters) return Promise.reject(busy())
    this.#entries.add(entry)
    if (entry.blockers === 0) return Promise.resolve(this.#permit(entry))
    return this.#wait(entry, signal)
  }

  #wait(entry: Entry, signal: AbortSignal): Promise<Permit> {
    this.#waiting += 1
    return new Promise((resolve, reject) => {
      const abort = () => {
        const reason = this.#whatIsWaitedFor(entry)
        entry.grant = undefined
        this.#waiting -= 1
        this.#leave(entry)
        reject(interrupted(reason))
      }
      signal.addEventListener('abort', abort, { once: true })
      entry.grant = () => {
        entry.grant = undefined
        this.#waiting -= 1
        signal.removeEventListener('abort', abort)
        resolve(this.#permit(entry))
      }
    })
  }

  #permit(entry: Entry): Permit {
    return Object.freeze({ release: () => this.#leave(entry) })
  }

  /** For the model: a process in the background ends by itself late or never, a call soon. */
  #whatIsWaitedFor(entry: Entry): string {
    for (const earlier of this.#entries) {
      if (earlier === entry) break
      if (earlier.isLifetime && conflict(earlier.claim, entry.claim)) {
        return 'the workspace is in use: a process in the background may write there; wait for it or stop it'
      }
    }
    return 'the workspace is in use: another call writes there'
  }

  /** Takes one out and lets go on whoever waited for it alone. */
  #leave(entry: Entry): void {
    if (!this.#entries.has(entry)) return
    let isLater = false
    for (const other of this.#entries) {
      if (other === entry) isLater = true
      else if (isLater && conflict(other.claim, entry.claim)) {
        other.blockers -= 1
        if (other.blockers === 0) other.grant?.()
      }
    }
    this.#entries.delete(entry)
  }
}

function conflict(one: Claim, other: Claim): boolean {
  if (one === 'all') return other === 'all' || other.length > 0
  if (other === 'all') return one.length > 0
  return one.some((path) => other.some((below) => path.startsWith(below) || below.startsWith(path)))
}

function scope(path: string): string {
  const isClean = isAbsolute(path) && !path.includes('\0') && normalize(path) === path
  if (!isClean) throw new ToolError('invalid_workspace_access', 'a workspace path must be absolute and clean')
  return path.endsWith(sep) ? path : path + sep
}

function interrupted(reason: string): ToolError {
  return new ToolError('interrupted', reason)
}

function busy(): ToolError {
  return new ToolError('workspace_busy', 'too many calls wait for the workspace; try again when some have ended')
}
