import type { SessionId } from '@looprig/core'
import type { Lease } from '@looprig/store'
import { newId } from '../clock/id-source.ts'
import type { EnduringBody } from '../event/event.ts'
import { GateDirectory } from '../gate/gate-directory.ts'
import { Hub } from '../hub/hub.ts'
import { Journal } from '../journal/journal.ts'
import { eventDraft } from '../journal/record-draft.ts'
import type { LoopState } from '../runtime/loop-runtime.ts'
import { LiveSession } from '../session/live-session.ts'
import type { Session } from '../session/session.ts'
import { appendFirst } from './append-first.ts'
import { buildLoopTools, resolveWorkspace } from './bind-loops.ts'
import { createManifest } from './manifest.ts'
import type { RigParts } from './rig-parts.ts'
import type { SessionHead } from './session-head.ts'

/** Makes a session: its tools are built, its first records are durable, its lease is ours. */
export async function createSession(rig: RigParts): Promise<Session> {
  const id = newId(rig.ids, 'SessionId')
  const workspace = await resolveWorkspace(rig)
  const loops = await Promise.all(
    rig.loops.map(async (definition): Promise<LoopState> => {
      const loopId = newId(rig.ids, 'LoopId')
      const tools = await buildLoopTools(definition, id, loopId, workspace)
      return { id: loopId, definition, tools, history: [], turnIndex: 0, queue: [] }
    }),
  )
  const [first, ...others] = loops
  if (first === undefined) throw new TypeError('a rig has at least one loop')
  const lease = await rig.store.leases.acquire(id)
  try {
    return await begin(rig, id, lease, workspace?.root, [first, ...others])
  } catch (error) {
    await lease.release()
    throw error
  }
}

async function begin(
  rig: RigParts,
  id: SessionId,
  lease: Lease,
  workspace: string | undefined,
  loops: readonly [LoopState, ...LoopState[]],
): Promise<Session> {
  const config = createManifest(rig.name, workspace, rig.loops)
  const events: EnduringBody[] = [
    { type: 'SessionStarted', config },
    ...loops.map((loop) => ({ type: 'LoopStarted', loopId: loop.id, name: loop.definition.name }) as const),
  ]
  const head: SessionHead = { v: 1, workspace: config.workspace, title: '', status: 'idle' }
  const journal = new Journal(rig.store.ledger, lease, rig.clock)
  const drafts = events.map((event) => eventDraft(event, rig.ids))
  const records = await appendFirst(journal, drafts, JSON.stringify(head))
  const hub = new Hub(id, rig.store.ledger, records.at(-1)?.seq ?? 0)
  return new LiveSession({ rig, id, lease, hub, head, gates: new GateDirectory(), loops, inputs: [] })
}
