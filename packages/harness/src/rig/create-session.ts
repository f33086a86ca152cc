import type { SessionId } from '@looprig/core'
import type { Lease } from '@looprig/store'
import type { WorkspaceBinding } from '@looprig/tools'
import { newId } from '../clock/id-source.ts'
import { SessionFaultedError } from '../error/errors.ts'
import type { EnduringBody } from '../event/event.ts'
import { GateDirectory } from '../gate/gate-directory.ts'
import { Hub } from '../hub/hub.ts'
import { Journal } from '../journal/journal.ts'
import { eventDraft } from '../journal/record-draft.ts'
import { loopStarted } from '../loop/loop-started.ts'
import { History } from '../runtime/history.ts'
import type { LoopState } from '../runtime/loop-state.ts'
import { LiveSession } from '../session/live-session.ts'
import type { Session } from '../session/session.ts'
import { appendFirst } from './append-first.ts'
import { buildLoopTools, resolveWorkspace } from './bind-loops.ts'
import { createManifest } from './create-manifest.ts'
import type { RigParts } from './rig-parts.ts'
import type { SessionHead } from './session-head.ts'

/** Makes a session: its tools are built, its first records are durable, its lease is ours. */
export async function createSession(rig: RigParts): Promise<Session> {
  const id = newId(rig.ids, 'SessionId')
  const workspace = await resolveWorkspace(rig)
  const loops = await Promise.all(
    rig.primers.map(async (definition): Promise<LoopState> => {
      const loopId = newId(rig.ids, 'LoopId')
      const tools = await buildLoopTools(definition, id, loopId, workspace)
      return { id: loopId, definition, tools, history: new History(), turnIndex: 0, queue: [] }
    }),
  )
  const [first, ...others] = loops
  if (first === undefined) throw new TypeError('a rig has at least one loop')
  const lease = await rig.store.leases.acquire(id)
  try {
    return await begin(rig, id, lease, workspace, [first, ...others])
  } catch (error) {
    await lease.release()
    throw error
  }
}

async function begin(
  rig: RigParts,
  id: SessionId,
  lease: Lease,
  workspace: WorkspaceBinding | undefined,
  loops: readonly [LoopState, ...LoopState[]],
): Promise<Session> {
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
  const gates = new GateDirectory([], () => rig.store.ledger.now())
  const activeLoopId = loops[0].id
  const session = new LiveSession({
    ...{ rig, id, lease, hub, head, tip, gates, loops, workspace, activeLoopId },
    storedHead: head,
    inputs: [],
  })
  session.follow()
  return session
}
