import { isLooprigError, isUuid, type SessionId } from '@looprig/core'
import type { Lease, StoredRecord } from '@looprig/store'
import { JournalError, LeaseHeldError, RestoreRejectedError, SessionError } from '../error/errors.ts'
import { decodeEventBody, deliverEvent } from '../event/event-codec.ts'
import { GateDirectory } from '../gate/gate-directory.ts'
import { Hub } from '../hub/hub.ts'
import { Journal } from '../journal/journal.ts'
import { readJournal } from '../journal/read-journal.ts'
import { eventDraft } from '../journal/record-draft.ts'
import { repairEvents } from '../restore/repair.ts'
import { SessionFold } from '../restore/session-fold.ts'
import type { LoopState } from '../runtime/loop-runtime.ts'
import { InputTracker } from '../session/input-tracker.ts'
import { LiveSession } from '../session/live-session.ts'
import type { Session } from '../session/session.ts'
import { appendFirst } from './append-first.ts'
import { buildLoopTools, resolveWorkspace } from './bind-loops.ts'
import { compareManifests, createManifest } from './manifest.ts'
import type { RigParts } from './rig-parts.ts'
import type { SessionHead } from './session-head.ts'

/** Takes a session over: lease, read, compare, fold; then one append closes what was left open. */
export async function restoreSession(rig: RigParts, id: SessionId): Promise<Session> {
  const found = isUuid(id) ? await rig.store.ledger.find(id) : undefined
  if (found === undefined || found.tip === 0) throw new SessionError('session_not_found', 'no such session')
  const lease = await acquireLease(rig, id)
  try {
    const session = await takeOver(rig, id, lease)
    session.startQueued()
    return session
  } catch (error) {
    await lease.release()
    throw error
  }
}

async function acquireLease(rig: RigParts, id: SessionId): Promise<Lease> {
  try {
    return await rig.store.leases.acquire(id)
  } catch (cause) {
    if (isLooprigError(cause) && cause.code === 'lease_held') throw new LeaseHeldError(id, { cause })
    throw cause
  }
}

async function takeOver(rig: RigParts, id: SessionId, lease: Lease): Promise<LiveSession> {
  const { ledger } = rig.store
  const fold = new SessionFold()
  for await (const entry of readJournal(ledger, id)) fold.take(entry)
  if (fold.stopped) throw new SessionError('session_stopped', 'the session was stopped for good; make a new one')
  const workspace = await resolveWorkspace(rig)
  compareConfiguration(rig, workspace?.root, fold)
  const loops = await bindLoops(rig, id, workspace, fold)
  await repair(rig, id, lease, fold)
  const head: SessionHead = { v: 1, workspace: workspace?.root ?? '', title: fold.title, status: fold.status }
  const hub = new Hub(id, ledger, fold.tip)
  const inputs = [...fold.inputs.values()].map(({ inputId, digest, result }) => {
    const tracker = new InputTracker(inputId, digest)
    tracker.accept()
    if (result !== undefined) tracker.settle(result)
    return tracker
  })
  const [first, ...others] = loops.map(({ state, read }): LoopState => ({ ...state, ...read() }))
  if (first === undefined) throw new JournalError('journal_invalid', fold.tip, 'the session has no loop')
  const gates = new GateDirectory(fold.resolvedGates)
  return new LiveSession({ rig, id, lease, hub, head, gates, loops: [first, ...others], inputs })
}

function compareConfiguration(rig: RigParts, workspace: string | undefined, fold: SessionFold): void {
  if (fold.manifest === undefined) throw new JournalError('journal_invalid', 1, 'the session has no manifest')
  const changes = compareManifests(fold.manifest, createManifest(rig.name, workspace, rig.loops))
  if (changes.length > 0) throw new RestoreRejectedError(changes)
}

/** Builds the tools of each loop of the rig, and finds the loop's records by its name. */
async function bindLoops(
  rig: RigParts,
  id: SessionId,
  workspace: Awaited<ReturnType<typeof resolveWorkspace>>,
  fold: SessionFold,
) {
  const byName = new Map([...fold.loops.values()].map((loop) => [loop.name, loop]))
  return Promise.all(
    rig.loops.map(async (definition) => {
      const loop = byName.get(definition.name)
      if (loop === undefined) throw new JournalError('journal_invalid', fold.tip, 'a loop of the session did not start')
      const tools = await buildLoopTools(definition, id, loop.loopId, workspace)
      const read = () => ({
        history: loop.history,
        turnIndex: loop.turnIndex,
        queue: [...loop.queue].map(([inputId, message]) => ({ inputId, message })),
      })
      return { state: { id: loop.loopId, definition, tools }, read }
    }),
  )
}

/** Closes every open turn in one append, and folds what it wrote: restoring again finds nothing to do. */
async function repair(rig: RigParts, id: SessionId, lease: Lease, fold: SessionFold): Promise<void> {
  const events = repairEvents(fold.loops.values())
  if (events.length === 0) return
  const journal = new Journal(rig.store.ledger, lease, rig.clock)
  const head: SessionHead = {
    v: 1,
    workspace: fold.manifest?.workspace ?? '',
    title: fold.title,
    status: 'interrupted',
  }
  const drafts = events.map((event) => eventDraft(event, rig.ids))
  const records: readonly StoredRecord[] = await appendFirst(journal, drafts, JSON.stringify(head))
  for (const record of records) fold.take({ record, event: deliverEvent(id, record, decodeEventBody(record)) })
}
