// Type-checked where the packed packages are installed, against their declarations alone.
import { parseId, textOf, uuidV7 } from '@looprig/core'
import { addNoteDefinition, wordCountDefinition } from '@looprig/example-own-tool-package'
import { defineLoop, defineRig, headlessGate } from '@looprig/harness'
import type { InferenceClient, Model } from '@looprig/inference'
import type { Store } from '@looprig/store'
import {
  type AccessSource,
  buildTools,
  type DefinitionBuildError,
  defineTool,
  seal,
  type ToolDefinition,
  type ToolResult,
  textResult,
  type WorkspaceCoordinator,
  writeRequirement,
} from '@looprig/tools'
import { type ConformanceCase, runToolConformance } from '@looprig/tools/testing'
import { createReadGuard, grepDefinition, readFileDefinition } from '@looprig/tools/workspace'
import { z } from 'zod'

const touch = defineTool({
  name: 'Touch',
  description: 'Make a file.',
  requires: ['workspace'],
  inputSchema: z.strictObject({ name: z.string() }),
  setup: ({ workspace }): WorkspaceCoordinator => workspace.coordinator,
  prepare: ({ name }, { workspace }) => {
    const path = `${workspace.root}/${name}`
    return { summary: 'touch', artifact: { path }, requirements: [writeRequirement(path)] }
  },
  run: async ({ path }, { deps, signal }) => {
    const permit = await deps.acquire({ kind: 'path', path }, signal)
    permit.release()
    // @ts-expect-error run never sees the input
    artifactHasNoName satisfies string
    return textResult(path)
  },
})
declare const artifactHasNoName: undefined

const guard = createReadGuard({ deny: ['.env'], maxReadBytes: 1_000 })
const tools: readonly ToolDefinition[] = [
  touch,
  wordCountDefinition(),
  addNoteDefinition(),
  readFileDefinition({ readGuard: guard }),
  grepDefinition({ readGuard: guard }),
]

export async function answer(client: InferenceClient, model: Model, store: Store): Promise<string> {
  const access: AccessSource[] = [{ kinds: ['filesystem.write'], accessFor: () => 'deny' }]
  const loop = defineLoop({ name: 'main', client, model, tools, gate: headlessGate({ access }) })
  const rig = defineRig({ loops: [loop], store, workspace: { root: '/' } })
  const session = await rig.newSession()
  const { status, text } = await session.submit('Hello.').result()
  return status === 'done' ? text : ''
}

export async function byHand(definition: ToolDefinition): Promise<ToolResult> {
  const ids = { sessionId: parseId('SessionId', uuidV7()), loopId: parseId('LoopId', uuidV7()) }
  const [tool] = await buildTools(definition, { ...ids, workspace: { root: '/' } })
  if (tool === undefined) throw new Error('no tool')
  const executionId = parseId('ToolExecutionId', uuidV7())
  const call = { executionId, toolUseId: 'call', signal: new AbortController().signal }
  const { request, artifact } = await tool.prepareCall(call, '{}')
  const result = await tool.invoke({ ...call, prepared: seal({ executionId, request, artifact }) }, '{}')
  textOf(result.content) satisfies string
  return result
}

export function prove(cases: readonly ConformanceCase[], error: DefinitionBuildError): string {
  runToolConformance(touch, cases, { describe: (_name, body) => body(), it: (_name, body) => body() })
  return error.code satisfies string
}

// @ts-expect-error ids are no plain texts
void buildTools(touch, { sessionId: 'a', loopId: 'b' })
