import { realpath, stat } from 'node:fs/promises'
import type { LoopId, SessionId } from '@looprig/core'
import { buildTools, type Tool, type ToolDefinition, type WorkspaceBinding } from '@looprig/tools'
import { DefinitionError } from '../error/errors.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import { allTools } from '../loop/effective-loop.ts'
import type { LoopTools } from '../runtime/loop-config.ts'
import type { RigParts } from './rig-parts.ts'

/** Resolves the rig's workspace: every link, and that it is a folder. */
export async function resolveWorkspace({ workspace }: RigParts): Promise<WorkspaceBinding | undefined> {
  if (workspace === undefined) return undefined
  try {
    const root = await realpath(workspace.root)
    if ((await stat(root)).isDirectory()) return Object.freeze({ root })
  } catch (cause) {
    throw new DefinitionError('workspace.root', 'no folder can be read there', { cause })
  }
  throw new DefinitionError('workspace.root', 'expected a folder')
}

/** Builds the tools of a loop and of all its modes, fresh instances for this session. */
export async function buildLoopTools(
  definition: LoopDefinition,
  sessionId: SessionId,
  loopId: LoopId,
  workspace: WorkspaceBinding | undefined,
): Promise<LoopTools> {
  const built = new Map<ToolDefinition, readonly Tool[]>()
  for (const tool of allTools(definition)) built.set(tool, await buildTools(tool, { sessionId, loopId, workspace }))
  return built
}
