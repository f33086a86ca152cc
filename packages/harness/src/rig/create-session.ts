import type { SessionId } from '@looprig/core'
import type { Lease } from '@looprig/store'
import { newId } from '../clock/id-source.ts'
import { SessionFaultedError } from '../error/errors.ts'
import type { EnduringBody } from '../event/event.ts'
import { GateDirectory } from '../gate/gate-directory.ts'
import { Hub } from '../hub/hub.ts'
import { Journal } from '../journal/journal.ts'
import { eventDraft } from '../journal/record-draft.ts'
import { loopStarted } from '../loop/loop-started.ts'
import { openResources, type ResourceRegistry } from '../resource/resource-registry.ts'
import { History } from '../runtime/history.ts'
import type { LoopState } from '../runtime/loop-state.ts'
import { LiveSession, type SessionParts } from '../session/live-session.ts'
import type { Session } from '../session/session.ts'
import type { SessionWorkspace } from '../session/session-workspace.ts'
import { appendFirst } from './append-first.ts'
import { buildLoopTools, resolveWorkspace } from './bind-loops.ts'
import { createManifest } from './create-manifest.ts'
import type { RigParts } from './rig-parts.ts'
import type { SessionHead } from './session-head.ts'

/** Makes a session: its tools are built, its first records are durable, its lease is ours, its resources are active. */
export async function createSession(rig: RigParts): Promise<Session> {
  const id = newId(rig.ids, 'SessionId')
  const workspace = await resolveWorkspace(rig)
  const resources = openResources(rig, id)
  let lease: Lease | undefined
  try {
    const loops = await startLoops(rig, id, workspace, resources)
    lease = await rig.store.leases.acquire(id)
    const session = await begin({ rig, id, lease, workspace, resources, loops })
    await session.begin()
    return session
  } catch (error) {
    await resources?.close()
    await lease?.release()
    throw error
  }
}

async function startLoops(
  rig: RigParts,
  id: SessionId,
  workspace: SessionWorkspace | undefined,
  resources: ResourceRegistry | undefined,
): Promise<readonly [LoopState, ...LoopState[]]> {
  const [first, ...others] = await Promise.all(
    rig.primers.map(async (definition): Promise<LoopState> => {
      const loopId = newId(rig.ids, 'LoopId')
      const tools = await buildLoopTools(definition, id, loopId, workspace, resources)
      return { id: loopId, definition, tools, history: new History(), turnIndex: 0, queue: [] }
    }),
  )
  if (first === undefined) throw new TypeError('a rig has at least one loop')
  return [first, ...others]
}

/** What a new session begins with. */
interface Beginning extends Pick<SessionParts, 'rig' | 'id' | 'lease' | 'workspace' | 'resources'> {
  readonly loops: readonly [LoopState, ...LoopState[]]
}

async function begin({ rig, id, lease, workspace, resources, loops }: Beginning): Promise<LiveSession> {
  const config = createManifest(rig, workspace?.root ?? '')
  const events: EnduringBody[] = [
    { type: 'SessionStarted', config },
    ...loops.map((loop) => loopStarted(loop.id, loop.definition)),
  ]
  const head: SessionHead = { v: 1, workspace: config.workspace, title: '', status: 'idle' }
  const journal = new Journal(rig.store.ledger, lease, rig.clock)
  const drafts = events.map((event) => eventDraft(event, rig.ids))
  const answer = await appendFirst(journal, drafts, { head: JSON.stringify(head) })
  // nobody else can have written to a session that had no record
  if (answer.outcome !== 'ok') throw new SessionFaultedError('slot_taken')
  const tip = answer.records.at(-1)?.seq ?? 0
  const hub = new Hub(id, rig.store.ledger, tip)
  const gates = new GateDirectory([], () => rig.store.ledger.now(), rig.maxOpenGates)
  const activeLoopId = loops[0].id
  return new LiveSession({
    ...{ rig, id, lease, hub, head, tip, gates, loops, workspace, resources, activeLoopId },
    storedHead: head,
    inputs: [],
  })
}
