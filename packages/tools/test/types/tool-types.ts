/** Type tests: this file is checked by the compiler and never run. */
import type { JsonObject, ToolExecutionId } from '@looprig/core'
import {
  buildTools,
  defineBundle,
  defineTool,
  type FileObservations,
  type GrantIssuer,
  type ProcessesBinding,
  type RuleSource,
  type RuleWriter,
  type SessionResources,
  type ToolDefinition,
  textResult,
  type WorkspaceCoordinator,
} from '@looprig/tools'
import { grepDefinition, readFileDefinition } from '@looprig/tools/workspace'
import { z } from 'zod'
import { newIdentity } from '../support/call-tool.ts'
import { readGuard } from '../support/read-guard.ts'

const inputSchema = z.strictObject({ line: z.string() })
const common = { name: 'x', description: 'x', inputSchema } as const
const nothing = { summary: 's', artifact: { line: '' }, requirements: [] }

export const typesFlowDownwards = defineTool({
  ...common,
  requires: ['workspace'],
  setup: ({ workspace }) => ({ rootLength: workspace.root.length }),
  prepare: ({ line }, { workspace, deps }) => ({
    summary: line,
    artifact: { path: workspace.root, parts: [line], length: deps.rootLength satisfies number },
    requirements: [],
  }),
  run: ({ path, parts, length }, { deps, grants }) => {
    path satisfies string
    length satisfies number
    grants satisfies readonly string[]
    // @ts-expect-error the artifact is frozen all the way down
    parts.push(path)
    // @ts-expect-error deps have the type that setup returned
    deps.rootLength satisfies string
    return textResult(path)
  },
})
typesFlowDownwards satisfies ToolDefinition<readonly ['workspace']>

defineTool({
  ...common,
  // @ts-expect-error what is not required is not there
  prepare: (_input, { workspace }) => ({ ...nothing, summary: workspace.root }),
  run: () => textResult(''),
})

export const processTool = defineTool({
  ...common,
  requires: ['processes'],
  setup: ({ processes }) => processes.resources,
  prepare: (_input, context) => {
    // @ts-expect-error the workspace is not required
    context.workspace satisfies unknown
    context.deps satisfies SessionResources
    return nothing
  },
  run: (_artifact, { processes }) => {
    processes satisfies ProcessesBinding
    return textResult('')
  },
})
processTool satisfies ToolDefinition<readonly ['processes']>
void buildTools(processTool, { ...newIdentity(), processes: { resources: {} as SessionResources } })

defineTool({
  ...common,
  requires: ['workspace', 'processes'],
  setup: ({ workspace, processes }) => [workspace.coordinator, workspace.observations, processes.resources] as const,
  prepare: () => nothing,
  run: (_artifact, { deps: [coordinator, observations] }) => {
    coordinator satisfies WorkspaceCoordinator
    observations satisfies FileObservations
    return textResult('')
  },
})

defineTool({
  ...common,
  prepare: () => nothing,
  run: (artifact) => {
    // @ts-expect-error run sees what prepare froze, never the input
    artifact.other satisfies unknown
    return textResult(artifact.line)
  },
})

defineTool({
  ...common,
  timeoutMs: 1_000,
  prepare: () => ({ ...nothing, question: { text: 'Which?', choices: ['a'] }, preview: { kind: 'diff', text: '' } }),
  run: async ({ line }, { requestUserInput, progress }) => {
    progress?.(line)
    // @ts-expect-error outside a session nobody can be asked
    await requestUserInput({ text: 'Which?' })
    return textResult((await requestUserInput?.({ text: 'Which?' })) ?? '')
  },
})

defineTool({
  ...common,
  // @ts-expect-error a preview is a text or a diff
  prepare: () => ({ ...nothing, preview: { kind: 'html', text: '' } }),
  run: () => textResult(''),
})

const rules: RuleSource & RuleWriter = {
  denies: () => undefined,
  allows: async ({ kind, match }) => ({ effect: 'allow', kind, match }),
  // @ts-expect-error candidates are read-only
  writeRules: async (candidates) => candidates.push(),
}
rules satisfies RuleSource

const issuer: GrantIssuer = { issueGrant: async ({ executionId, expiresAtMs }) => `${executionId}${expiresAtMs}` }
issuer satisfies GrantIssuer

defineTool({
  ...common,
  prepare: ({ line }, { executionId }) => ({
    ...nothing,
    // a branded id and data of any shape pass through an artifact as they are
    artifact: { executionId, data: { line } as JsonObject, list: [line] },
  }),
  run: ({ executionId, data, list }) => {
    executionId satisfies ToolExecutionId
    data satisfies JsonObject
    // @ts-expect-error what was approved does not change
    list.push('')
    return textResult('')
  },
})

// @ts-expect-error a tool is pure or it has prepare
defineTool({ ...common, run: () => textResult('') })

// @ts-expect-error no binding has this name
defineTool({ ...common, requires: ['network'], pure: true, run: () => textResult('') })

// @ts-expect-error run gives a result
defineTool({ ...common, pure: true, run: () => 'text' })

defineTool({
  ...common,
  pure: true,
  run: ({ line }, context) => {
    // @ts-expect-error a tool written inline gets no binding that it does not require
    context.workspace satisfies unknown
    return textResult(line satisfies string)
  },
})

defineBundle({
  name: 'b',
  setup: () => ({ count: 0 }),
  tools: (tool) => [
    tool({
      ...common,
      pure: true,
      run: (_input, { deps }) => {
        // @ts-expect-error deps have the type that the bundle's setup returned
        deps.count satisfies string
        return textResult('')
      },
    }),
  ],
})

// definitions of all kinds fit into one list, as a loop takes them
export const tools: readonly ToolDefinition[] = [
  typesFlowDownwards,
  readFileDefinition({ readGuard }),
  grepDefinition({ readGuard }),
]

// @ts-expect-error a read tool needs a guard
readFileDefinition({})

// @ts-expect-error ids are no plain texts
void buildTools(typesFlowDownwards, { sessionId: 'a', loopId: 'b' })
void buildTools(typesFlowDownwards, { ...newIdentity(), workspace: { root: '/' } })
