import { isLooprigError, isUuid, type LoopId, type SessionId } from '@looprig/core'
import type { Lease } from '@looprig/store'
import { identityOf } from '../delegate/fold-request.ts'
import { openErrands } from '../delegate/open-agents.ts'
import { LeaseHeldError, SessionError } from '../error/errors.ts'
import type { EnduringBody } from '../event/event.ts'
import { GateDirectory } from '../gate/gate-directory.ts'
import { Hub } from '../hub/hub.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import { openResources, type ResourceRegistry } from '../resource/resource-registry.ts'
import type { LoopFold } from '../restore/loop-fold.ts'
import { type BoundLoop, planRepair, type RepairPlan } from '../restore/plan-repair.ts'
import { readSession } from '../restore/read-session.ts'
import type { ReviewMemory } from '../restore/review-call.ts'
import type { InputFold, SessionFold } from '../restore/session-fold.ts'
import type { LoopTools } from '../runtime/loop-config.ts'
import type { LoopState } from '../runtime/loop-state.ts'
import { InputTracker } from '../session/input-tracker.ts'
import { LiveSession } from '../session/live-session.ts'
import type { Session } from '../session/session.ts'
import { buildLoopTools, resolveWorkspace } from './bind-loops.ts'
import { adoptConfiguration } from './drift-adoption.ts'
import { type RepairTarget, repairSession } from './repair-session.ts'
import type { RigParts } from './rig-parts.ts'
import type { SessionHead } from './session-head.ts'

/** Takes a session over: lease, read, compare, fold; then one append closes what was left open. */
export async function restoreSession(rig: RigParts, id: SessionId): Promise<Session> {
  const found = isUuid(id) ? await rig.store.ledger.find(id) : undefined
  if (found === undefined || found.tip === 0) throw new SessionError('session_not_found', 'no such session')
  const lease = await acquireLease(rig, id)
  const resources = openResources(rig, id)
  try {
    const { session, resumed } = await takeOver(rig, id, lease, resources)
    await session.begin(resumed)
    return session
  } catch (error) {
    await resources?.close()
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

/** The session as its journal tells it after the repair, and the turns that go on. */
async function takeOver(
  rig: RigParts,
  id: SessionId,
  lease: Lease,
  resources: ResourceRegistry | undefined,
): Promise<{ readonly session: LiveSession; readonly resumed: RepairPlan['resumed'] }> {
  const { ledger } = rig.store
  const fold = await readSession(ledger, id)
  if (fold.stopped) throw new SessionError('session_stopped', 'the session was stopped for good; make a new one')
  const workspace = await resolveWorkspace(rig)
  const root = workspace?.root ?? ''
  const target = { rig, id, lease, fold, workspace: root }
  const adopted = await adoptConfiguration(target)
  const build: Build = (definition, loopId) => buildLoopTools(definition, id, loopId, workspace, resources)
  const loops = await bindLoops(rig, build, fold, adopted)
  const resumed = await repair(target, loops, adopted)
  const head: SessionHead = { v: 1, workspace: root, title: fold.title, status: fold.status }
  const hub = new Hub(id, ledger, fold.tip)
  const gates = new GateDirectory(fold.resolvedGates, () => ledger.now(), rig.maxOpenGates)
  const known = [...fold.loops.values()]
  const states = known.flatMap((loop) => loopState(loop, loops.get(loop.loopId)) ?? [])
  const inputs = [...fold.inputs.values()].map(trackInput)
  const session = new LiveSession({
    ...{ rig, id, lease, hub, head, gates, inputs, workspace, resources },
    tip: fold.tip,
    loops: states,
    agents: { errands: openErrands(fold), started: known.filter(({ parent }) => parent !== undefined).length },
    activeLoopId: fold.inputLoop.loopId,
  })
  return { session, resumed }
}

/** Builds the tools of one loop. */
type Build = (definition: LoopDefinition, loopId: LoopId) => Promise<LoopTools>

/** Builds the tools of each loop that the session has, or is about to have, by the rig's definition of that name. */
async function bindLoops(
  rig: RigParts,
  build: Build,
  fold: SessionFold,
  adopted: readonly EnduringBody[],
): Promise<ReadonlyMap<LoopId, BoundLoop>> {
  const begun = adopted.filter((event) => event.type === 'LoopStarted')
  const bound = [...fold.loops.values(), ...begun].map(async ({ loopId, name }) => {
    const definition = isUnder(fold, rig, loopId) ? rig.loops.find((loop) => loop.name === name) : undefined
    if (definition === undefined) return []
    const tools = await build(definition, loopId)
    return [[loopId, { definition, tools }]] as const
  })
  return new Map((await Promise.all(bound)).flat())
}

/** Says whether the loop that started this one, and every one above, is still in the rig: else nobody could ask it. */
function isUnder(fold: SessionFold, rig: RigParts, loopId: LoopId): boolean {
  const { parent } = fold.loops.get(loopId) ?? {}
  if (parent === undefined) return true
  const above = fold.loops.get(parent.loopId)
  return rig.loops.some(({ name }) => name === above?.name) && isUnder(fold, rig, parent.loopId)
}

/** Writes what the plan of the restore says; gives the turns that go on. */
async function repair(
  target: RepairTarget,
  loops: ReadonlyMap<LoopId, BoundLoop>,
  adopted: readonly EnduringBody[],
): Promise<RepairPlan['resumed']> {
  const { rig, fold } = target
  const { clock, ids, approvalTtlMs } = rig
  const memory: ReviewMemory = new Map()
  let resumed: RepairPlan['resumed'] = new Map()
  await repairSession(target, async (isWritten) => {
    const now = await rig.store.ledger.now()
    const { events, ...plan } = await planRepair({ fold, loops, clock, ids, approvalTtlMs, memory, now })
    resumed = plan.resumed
    return { ...plan, events: isWritten ? events : [...adopted, ...events] }
  })
  return resumed
}

/** A loop whose definition the rig has no more is not run: its records stay as they are. */
function loopState(loop: LoopFold, bound: BoundLoop | undefined): LoopState | undefined {
  if (bound === undefined) return undefined
  const { loopId, history, turnIndex, queue, choice, parent } = loop
  const agent = parent === undefined ? undefined : { parentId: parent.loopId, name: identityOf(loop).name }
  return { id: loopId, ...bound, history, turnIndex, queue: [...queue.values()], choice, agent }
}

/** What is known of an input of an earlier process. */
function trackInput({ inputId, digest, result }: InputFold): InputTracker {
  const tracker = new InputTracker(inputId, digest)
  tracker.accept()
  if (result !== undefined) tracker.settle(result)
  return tracker
}
