import { realpath, stat } from 'node:fs/promises'
import type { LoopId, SessionId } from '@looprig/core'
import {
  buildTools,
  createFileObservations,
  createWorkspaceCoordinator,
  type SessionResources,
  type Tool,
  type ToolDefinition,
} from '@looprig/tools'
import { isAgentTools } from '../delegate/agent-tool.ts'
import { DefinitionError } from '../error/errors.ts'
import { checkTools } from '../loop/check-tools.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import { allTools } from '../loop/effective-loop.ts'
import type { LoopTools } from '../runtime/loop-config.ts'
import type { SessionWorkspace } from '../session/session-workspace.ts'
import type { RigParts } from './rig-parts.ts'

/** Resolves the rig's workspace for one session: every link, and that it is a folder. */
export async function resolveWorkspace({ workspace }: RigParts): Promise<SessionWorkspace | undefined> {
  if (workspace === undefined) return undefined
  try {
    const root = await realpath(workspace.root)
    if ((await stat(root)).isDirectory()) return Object.freeze({ root, coordinator: createWorkspaceCoordinator() })
  } catch (cause) {
    throw new DefinitionError('workspace.root', 'no folder can be read there', { cause })
  }
  throw new DefinitionError('workspace.root', 'expected a folder')
}

/** Builds the tools of a loop and of all its modes, fresh instances for this session; they share what the loop has read. */
export async function buildLoopTools(
  definition: LoopDefinition,
  sessionId: SessionId,
  loopId: LoopId,
  root: SessionWorkspace | undefined,
  resources: SessionResources | undefined,
): Promise<LoopTools> {
  const workspace = root && { ...root, observations: createFileObservations() }
  const processes = resources && { resources }
  const built = new Map<ToolDefinition, readonly Tool[]>()
  for (const tool of allTools(definition))
    built.set(tool, await buildTools(tool, { sessionId, loopId, workspace, processes }))
  checkNames(definition)
  return built
}

/** A definition of another make may yield tools of other names now than when its loop was defined. */
function checkNames({ tools, modes }: LoopDefinition): void {
  const ofOthers = (list: readonly ToolDefinition[]) => list.filter((tool) => !isAgentTools(tool))
  checkTools(ofOthers(tools), 'tools')
  for (const mode of modes) checkTools(ofOthers(mode.tools), `modes.${mode.name}.tools`)
}
