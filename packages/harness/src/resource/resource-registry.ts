import type { SessionId } from '@looprig/core'
import type { SessionResource, SessionResourceServices, SessionResources } from '@looprig/tools'
import type { Clock } from '../clock/clock.ts'
import { SessionError } from '../error/errors.ts'
import type { RigParts } from '../rig/rig-parts.ts'
import { inTime } from './in-time.ts'
import { checkOutside, openPrivateFolder, openResourceRoot, PrivateFolderError } from './private-folder.ts'

/** How long a resource may take to become active, or to end. */
const maxWaitMs = 30_000

/** The most resources of one session. */
const maxResources = 64

const resourceKey = /^[a-z0-9][a-z0-9-]{0,63}$/

/** Where the resources of one session live. */
export interface ResourceRegistryParts {
  readonly root: string
  readonly sessionId: SessionId
  readonly clock: Clock
  /** Where tools may write. */
  readonly workspace?: string | undefined
}

interface Entry {
  /** With what the session does for it, once the session is open. */
  readonly made: Promise<SessionResource>
  /** There once it is created. */
  resource: SessionResource | undefined
  isActivated: boolean
  ending: Promise<void> | undefined
}

/** The resources of one session: each is made once, becomes active with its session, and ends with it. */
export class ResourceRegistry implements SessionResources {
  readonly #parts: ResourceRegistryParts
  readonly #entries = new Map<string, Entry>()
  #services: SessionResourceServices | undefined
  #isClosed = false
  #closing: Promise<void> | undefined

  constructor(parts: ResourceRegistryParts) {
    this.#parts = parts
  }

  /** No resource was asked for. */
  get isEmpty(): boolean {
    return this.#entries.size === 0
  }

  /**
   * See `SessionResources`. A key has 1 to 64 of a-z, 0-9 and `-`.
   *
   * @throws SessionError `session_closed`, `resource_failed`; what `create` throws.
   */
  async getOrCreate<T extends SessionResource>(key: string, create: (directory: string) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closed()
    const known = this.#entries.get(key)
    if (known !== undefined) return (await known.made) as T // proved: who shares a key shares its kind of resource
    if (typeof key !== 'string' || !resourceKey.test(key)) {
      throw new SessionError('resource_failed', 'the key of a resource has 1 to 64 of a-z, 0-9 and "-"')
    }
    if (this.#entries.size >= maxResources)
      throw new SessionError('resource_failed', 'the session has too many resources')
    const entry: Entry = {
      // in the next microtask, since it needs the entry
      made: Promise.resolve().then(() => this.#make(key, create, entry)),
      resource: undefined,
      isActivated: false,
      ending: undefined,
    }
    this.#entries.set(key, entry)
    try {
      return (await entry.made) as T // proved: as above
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
      throw error
    }
  }

  /**
   * The session is open: its resources become active, all at once. What is made later becomes active as it is made.
   *
   * @throws SessionError `resource_failed`.
   */
  async activate(services: SessionResourceServices): Promise<void> {
    this.#services = services
    await Promise.all([...this.#entries.values()].map((entry) => this.#activate(entry)))
  }

  /** Ends all resources, also those that are on their way. Waits for a limited time, and never rejects. */
  close(): Promise<void> {
    this.#isClosed = true
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #make<T extends SessionResource>(
    key: string,
    create: (directory: string) => Promise<T>,
    entry: Entry,
  ): Promise<SessionResource> {
    const resource = await create(await this.#folder(key))
    if (typeof resource?.activate !== 'function' || typeof resource.shutdown !== 'function') {
      throw new SessionError('resource_failed', `the resource ${key} cannot be activated or shut down`)
    }
    entry.resource = resource
    if (this.#isClosed) {
      await this.#end(entry)
      throw closed()
    }
    if (this.#services === undefined) return resource
    try {
      await this.#activate(entry)
    } catch (error) {
      await this.#end(entry)
      throw error
    }
    return resource
  }

  async #folder(key: string): Promise<string> {
    const { root, sessionId, workspace } = this.#parts
    try {
      const opened = await openResourceRoot(root)
      if (workspace !== undefined) await checkOutside(opened, workspace)
      return await openPrivateFolder(await openPrivateFolder(opened, sessionId), key)
    } catch (cause) {
      const why = cause instanceof PrivateFolderError ? cause.message : 'it cannot be made or read'
      throw new SessionError('resource_failed', `resources.root: ${why}`, { cause })
    }
  }

  async #activate(entry: Entry): Promise<void> {
    const { resource } = entry
    const services = this.#services
    if (resource === undefined || services === undefined || entry.isActivated) return
    entry.isActivated = true
    try {
      const activating = Promise.resolve().then(() => resource.activate(services))
      if (await inTime(this.#parts.clock, maxWaitMs, activating)) return
    } catch (cause) {
      throw new SessionError('resource_failed', 'a resource of the session could not be activated', { cause })
    }
    throw new SessionError('resource_failed', `a resource of the session was not active after ${maxWaitMs} ms`)
  }

  async #close(): Promise<void> {
    // one that is on its way ends itself
    const ends = [...this.#entries.values()].map((entry) =>
      entry.resource === undefined ? entry.made : this.#end(entry),
    )
    await inTime(this.#parts.clock, maxWaitMs, Promise.allSettled(ends))
  }

  #end(entry: Entry): Promise<void> {
    entry.ending ??= this.#shutdown(entry)
    return entry.ending
  }

  async #shutdown({ resource }: Entry): Promise<void> {
    const ending = Promise.resolve().then(() => resource?.shutdown())
    // it has nobody whom it could tell
    await inTime(this.#parts.clock, maxWaitMs, ending).catch(() => undefined)
  }
}

/** The resources of a session, where its rig has a place for them; nothing is made before somebody asks for one. */
export function openResources(
  { resources, workspace, clock }: Pick<RigParts, 'resources' | 'workspace' | 'clock'>,
  sessionId: SessionId,
): ResourceRegistry | undefined {
  return resources && new ResourceRegistry({ root: resources.root, sessionId, clock, workspace: workspace?.root })
}

function closed(): SessionError {
  return new SessionError('session_closed', 'the session has ended; it makes no more resources')
}
