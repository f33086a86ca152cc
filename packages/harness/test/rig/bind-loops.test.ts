import { scriptedClient } from '@looprig/inference/testing'
import { memoryStore } from '@looprig/store/memory'
import {
  defineTool,
  type Tool,
  type ToolDefinition,
  textResult,
  type WorkspaceBinding,
  type WorkspaceCoordinator,
} from '@looprig/tools'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { defineLoop, defineRig, type LoopOptions } from '../../src/index.ts'
import { model } from '../session/open-session.ts'

type Seen = { readonly sessionId: string; readonly loopId: string; readonly workspace: WorkspaceBinding }

/** A tool that keeps what it was built with. */
function watching(name: string, seen: Seen[]): ToolDefinition {
  return defineTool({
    name,
    description: 'Watch.',
    requires: ['workspace'],
    pure: true,
    inputSchema: z.strictObject({}),
    setup: (bindings): undefined => void seen.push(bindings),
    run: () => textResult(''),
  })
}

function loop(name: string, options: Partial<LoopOptions>) {
  return defineLoop({ name, client: scriptedClient([]), model, ...options })
}

describe('the tools of a session', () => {
  it('share one coordinator in a session, and what was read in a loop with all its modes', async () => {
    const seen: Seen[] = []
    const [read, write, edit] = ['read', 'write', 'edit'].map((name) => watching(name, seen)) as [
      ToolDefinition,
      ToolDefinition,
      ToolDefinition,
    ]
    const main = loop('main', { tools: [read, write], initialMode: '', modes: [{ name: 'plan', tools: [read, edit] }] })
    const other = loop('other', { tools: [read] })
    const rig = defineRig({
      loops: [main, other],
      primers: ['main', 'other'],
      store: memoryStore(),
      workspace: { root: process.cwd() },
    })

    const sessions = [await rig.newSession(), await rig.newSession()]
    onTestFinished(() => Promise.all(sessions.map((session) => session.shutdown())).then(() => undefined))

    const coordinators = new Map<string, Set<WorkspaceCoordinator>>()
    const observations = new Map<string, Set<unknown>>()
    for (const { sessionId, loopId, workspace } of seen) {
      coordinators.set(sessionId, (coordinators.get(sessionId) ?? new Set()).add(workspace.coordinator))
      observations.set(loopId, (observations.get(loopId) ?? new Set()).add(workspace.observations))
    }
    expect(seen).toHaveLength(8)
    expect([...coordinators.values()].map(({ size }) => size)).toEqual([1, 1])
    expect([...observations.values()].map(({ size }) => size)).toEqual([1, 1, 1, 1])
    expect(new Set(seen.map(({ workspace }) => workspace.coordinator)).size).toBe(2)
    expect(new Set(seen.map(({ workspace }) => workspace.observations)).size).toBe(4)
  })

  it.each([
    ['of two definitions', 'write', /a second tool named write/],
    ['of the runtime', 'StartAgent', /the name StartAgent is reserved/],
    ['of the final answer', 'final_output', /the name final_output is reserved/],
  ])('are not bound under a name %s, when a definition has changed since', async (_what, name, message) => {
    const changing = changingTool()
    const tools = [watching('write', []), changing.definition]
    const rig = defineRig({
      loops: [loop('main', { initialMode: '', modes: [{ name: 'plan', tools }] })],
      store: memoryStore(),
      workspace: { root: process.cwd() },
    })

    changing.rename(name)

    await expect(rig.newSession()).rejects.toThrow(message)
  })
})

/** A definition of another make, which yields a tool of another name when it likes. */
function changingTool() {
  const given = watching('read', [])
  let name = 'read'
  const definition = {
    ...given,
    get produces() {
      return given.produces.map((identity) => ({ ...identity, name }))
    },
    build: async (bindings: never): Promise<readonly Tool[]> => {
      const tools = await given.build(bindings)
      return tools.map((tool) => Object.create(tool, { info: { value: { ...tool.info, name } } }) as Tool)
    },
  } as ToolDefinition
  return {
    definition,
    rename: (next: string) => {
      name = next
    },
  }
}
