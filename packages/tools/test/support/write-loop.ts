import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '@looprig/core'
import {
  buildTools,
  createFileObservations,
  createWorkspaceCoordinator,
  type OfferedWorkspace,
  type Tool,
  type ToolResult,
} from '@looprig/tools'
import {
  editFileDefinition,
  globDefinition,
  grepDefinition,
  readFileDefinition,
  type WriteToolOptions,
  writeFileDefinition,
} from '@looprig/tools/workspace'
import { invokePrepared, newContext, newIdentity } from './call-tool.ts'
import { readGuard } from './read-guard.ts'
import { tempWorkspace } from './temp-workspace.ts'

/** The workspace tools of one loop. */
export interface WriteLoop {
  readonly root: string
  readonly workspace: OfferedWorkspace
  /** Prepares, seals and runs; what `prepareCall` throws is given as an error result. */
  call(tool: string, args: JsonObject, signal?: AbortSignal): Promise<ToolResult>
  /** Prepares now; the call runs when it is told to. */
  prepare(tool: string, args: JsonObject): Promise<PreparedWrite>
  bytes(path: string): Promise<Buffer>
  text(path: string): Promise<string>
  /** All names of a folder. */
  names(path?: string): string[]
}

/** A call that waits for approval. */
export interface PreparedWrite {
  readonly request: Awaited<ReturnType<Tool['prepareCall']>>
  run(signal?: AbortSignal): Promise<ToolResult>
}

/** Makes the tools of a loop over a workspace with the given files. */
export async function writeLoop(
  files: Readonly<Record<string, string | Buffer>> = {},
  options: WriteToolOptions = {},
): Promise<WriteLoop> {
  return loopOver({ root: await tempWorkspace(files) }, options)
}

/** Makes the tools of a loop over a workspace that is there. */
export async function loopOver(offered: OfferedWorkspace, options: WriteToolOptions = {}): Promise<WriteLoop> {
  const { root } = offered
  const workspace = { coordinator: createWorkspaceCoordinator(), observations: createFileObservations(), ...offered }
  const deps = { readGuard }
  const definitions = [
    readFileDefinition(deps, { hostReads: options.hostWrites }),
    writeFileDefinition(deps, options),
    editFileDefinition(deps, options),
    globDefinition(deps),
    grepDefinition(deps, { ripgrep: false }),
  ]
  const tools = new Map<string, Tool>()
  for (const definition of definitions) {
    for (const tool of await buildTools(definition, { ...newIdentity(), workspace })) tools.set(tool.info.name, tool)
  }
  const prepare = async (name: string, args: JsonObject): Promise<PreparedWrite> => {
    const tool = tools.get(name)
    if (tool === undefined) throw new Error('no such tool')
    const context = newContext()
    const request = await tool.prepareCall(context, JSON.stringify(args))
    return { request, run: (signal) => invokePrepared(tool, { ...context, signal: signal ?? context.signal }, request) }
  }
  return {
    root,
    workspace,
    prepare,
    call: async (name, args, signal) => {
      const prepared = await prepare(name, args).catch((error: Error & { code?: string }) => error)
      if (prepared instanceof Error) return refused(prepared)
      return prepared.run(signal)
    },
    bytes: (path) => readFile(join(root, path)),
    text: (path) => readFile(join(root, path), 'utf8'),
    names: (path = '.') => readdirSync(join(root, path)).sort(),
  }
}

function refused({ code = 'unknown', message }: Error & { code?: string }): ToolResult {
  return { content: [{ type: 'text', text: message }], isError: true, code }
}
