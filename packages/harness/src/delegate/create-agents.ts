import type { SessionId } from '@looprig/core'
import type { SessionResources } from '@looprig/tools'
import { buildLoopTools } from '../rig/bind-loops.ts'
import type { RigParts } from '../rig/rig-parts.ts'
import type { LoopHost } from '../runtime/loop-host.ts'
import { LoopRuntime } from '../runtime/loop-runtime.ts'
import type { LoopDirectory } from '../session/loop-directory.ts'
import type { SessionLog } from '../session/session-log.ts'
import type { SessionWorkspace } from '../session/session-workspace.ts'
import { AgentDirectory } from './agent-directory.ts'
import { SessionAgents } from './session-agents.ts'

/** What the agents of a session are made of. */
export interface AgentParts {
  readonly rig: RigParts
  readonly sessionId: SessionId
  readonly workspace: SessionWorkspace | undefined
  readonly resources: SessionResources | undefined
  readonly log: SessionLog
  readonly loops: LoopDirectory
  /** What a loop sees of the session; asked when the first loop is made. */
  loopHost(): LoopHost
}

/** Makes what starts, finds and stops the agents of one session; it has none yet. */
export function createAgents({
  rig,
  sessionId,
  workspace,
  resources,
  log,
  loops,
  loopHost,
}: AgentParts): SessionAgents {
  const definitions = new Map(rig.loops.map((definition) => [definition.name, definition]))
  const agents: SessionAgents = new SessionAgents({
    log,
    clock: rig.clock,
    ids: rig.ids,
    limits: rig.delegation,
    directory: new AgentDirectory(),
    definition: (name) => definitions.get(name),
    build: (definition, loopId) => buildLoopTools(definition, sessionId, loopId, workspace, resources),
    loop: (id) => loops.find(id),
    create: (state) => new LoopRuntime(state, loopHost()),
    seat: (loop, tools) => agents.seat(loop, tools),
    started: (loop) => loops.add(loop),
    ending: () => loopHost().ending(),
    changed: () => loopHost().changed(),
  })
  return agents
}
