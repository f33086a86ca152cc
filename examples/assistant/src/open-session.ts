import { realpath } from 'node:fs/promises'
import type { SessionId } from '@looprig/core'
import {
  formatDrift,
  LeaseHeldError,
  listSessions,
  RestoreRejectedError,
  type Session,
  SessionError,
  type SessionSummary,
} from '@looprig/harness'
import { type Store, StoreError } from '@looprig/store'
import type { RunCommand } from './arguments.ts'
import { type AssistantExtension, defineAssistant } from './assistant.ts'
import type { ConnectedModel } from './choose-model.ts'
import { hasStore, makeDataFolder, reasonOf, resolveWorkspace, storeFile } from './paths.ts'
import { UsageError } from './usage.ts'

/** Where and with what a session is opened. */
export interface OpenOptions {
  readonly session: RunCommand['session']
  readonly dataFolder: string
  /** As the person named it; absent when they did not. */
  readonly workspace: string | undefined
  readonly startFolder: string
  readonly model: ConnectedModel
  readonly attended: boolean
  readonly extension: AssistantExtension | undefined
}

/** A session that this process owns, and the store that it lives in. Close them in this order. */
export interface OpenedSession {
  readonly session: Session
  readonly store: Store
  readonly workspace: string
  /** How the session stood before; absent for a new one. */
  readonly resumed?: SessionSummary
}

/**
 * Makes a session or takes one over.
 *
 * @throws UsageError when the session is not there, is held elsewhere or was made otherwise: nothing was written then.
 */
export async function openSession(options: OpenOptions): Promise<OpenedSession> {
  const { session: wanted, dataFolder, startFolder } = options
  if (wanted.kind === 'new') {
    const workspace = await resolveWorkspace(options.workspace ?? startFolder)
    await makeDataFolder(dataFolder)
    return withStore(dataFolder, async (store) => {
      const rig = await rigFor(options, store, workspace)
      return { store, workspace, session: await rig.newSession() }
    })
  }
  const named = wanted.kind === 'latest' ? (options.workspace ?? startFolder) : options.workspace
  const workspace = named === undefined ? undefined : await resolveWorkspace(named)
  if (!(await hasStore(dataFolder))) throw notFound(wanted)
  return withStore(dataFolder, async (store) => {
    const resumed = pick(wanted, workspace, await listSessions(store))
    const taken = workspace ?? (await resolveWorkspace(resumed.workspace))
    const rig = await rigFor(options, store, taken)
    const session = await rig.restoreSession(resumed.id).catch(explainRefusal(resumed.id))
    return { store, resumed, workspace: taken, session }
  })
}

/**
 * Opens the store of a data folder.
 *
 * @throws UsageError when the file cannot be used.
 */
export async function openStore(dataFolder: string): Promise<Store> {
  const { sqliteStore } = await import('@looprig/store/sqlite')
  try {
    return sqliteStore({ path: storeFile(dataFolder) })
  } catch (cause) {
    if (!(cause instanceof StoreError) || !unusable.has(cause.code)) throw cause
    throw new UsageError(`data folder ${dataFolder}: ${cause.message}`, { cause })
  }
}

/** Nothing was written then, and the person has to choose another folder or change this one. */
const unusable: ReadonlySet<string> = new Set<StoreError['code']>(['unreadable', 'read_only', 'invalid'])

/** A store that does not outlive a failure of what it was opened for. */
async function withStore<T>(dataFolder: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(dataFolder)
  try {
    return await use(store)
  } catch (error) {
    await store.close()
    throw error
  }
}

async function rigFor({ model, attended, extension, dataFolder }: OpenOptions, store: Store, workspace: string) {
  const canonical = await realpath(dataFolder).catch((cause: unknown) => {
    throw new UsageError(`data folder ${dataFolder}: ${reasonOf(cause)}`, { cause })
  })
  return defineAssistant({ ...model, store, workspace, dataFolder: canonical, attended, extension })
}

type Wanted = Exclude<RunCommand['session'], { kind: 'new' }>

function pick(wanted: Wanted, workspace: string | undefined, all: readonly SessionSummary[]): SessionSummary {
  const found = all.find((summary) =>
    wanted.kind === 'latest' ? summary.workspace === workspace : summary.id === wanted.id,
  )
  if (found === undefined) throw notFound(wanted)
  return found
}

function notFound(wanted: Wanted): UsageError {
  return new UsageError(
    wanted.kind === 'latest'
      ? '--continue: there is no session of this workspace yet'
      : `--resume: there is no session ${wanted.id}; \`npm start -- sessions\` lists them`,
  )
}

function explainRefusal(id: SessionId) {
  return (cause: unknown): never => {
    if (cause instanceof LeaseHeldError) {
      throw new UsageError(`session ${id} is open in another process; end that one first`, { cause })
    }
    if (cause instanceof SessionError) throw new UsageError(`session ${id}: ${cause.message}`, { cause })
    if (!(cause instanceof RestoreRejectedError)) throw cause
    const details = formatDrift(cause).split('\n')
    throw new UsageError(`session ${id} was made with another set-up`, { cause, details })
  }
}
