/** The whole catalogue at once: what every definition says of itself, needs and builds. */
import { type AvailableBindings, buildTools, type SessionResource, seal, type ToolDefinition } from '@looprig/tools'
import { askUserDefinition } from '@looprig/tools/ask-user'
import {
  bashDefinition,
  directRunner,
  processInputDefinition,
  processOutputDefinition,
  processStopDefinition,
} from '@looprig/tools/process'
import { skillDefinition, workspaceSkillDefinition } from '@looprig/tools/skill'
import { durableTaskDefinitions, taskDefinitions } from '@looprig/tools/task'
import { createFixedSearch, createGuardedClient, fetchDefinition, webSearchDefinition } from '@looprig/tools/web'
import {
  editFileDefinition,
  globDefinition,
  grepDefinition,
  readFileDefinition,
  writeFileDefinition,
} from '@looprig/tools/workspace'
import { describe, expect, it } from 'vitest'
import { newContext, newIdentity } from '../support/call-tool.ts'
import { readGuard } from '../support/read-guard.ts'
import { tempWorkspace } from '../support/temp-workspace.ts'

const tasks = ['TaskCreate', 'TaskUpdate', 'TaskGet', 'TaskList']

/** The definition, its name, what it requires, the tools that it produces. */
const catalogue: readonly (readonly [string, ToolDefinition, readonly string[], readonly string[]])[] = [
  ['ReadFile', readFileDefinition({ readGuard }), ['workspace'], ['ReadFile']],
  ['WriteFile', writeFileDefinition({ readGuard }), ['workspace'], ['WriteFile']],
  ['EditFile', editFileDefinition({ readGuard }), ['workspace'], ['EditFile']],
  ['Glob', globDefinition({ readGuard }), ['workspace'], ['Glob']],
  ['Grep', grepDefinition({ readGuard }, { ripgrep: false }), ['workspace'], ['Grep']],
  ['Bash', bashDefinition({ resolver: () => directRunner({ environment: {} }) }), ['workspace', 'processes'], ['Bash']],
  ['ProcessOutput', processOutputDefinition(), ['processes'], ['ProcessOutput']],
  ['ProcessInput', processInputDefinition(), ['processes'], ['ProcessInput']],
  ['ProcessStop', processStopDefinition(), ['processes'], ['ProcessStop']],
  ['Fetch', fetchDefinition({ client: createGuardedClient() }), [], ['Fetch']],
  ['WebSearch', webSearchDefinition({ provider: createFixedSearch([]) }), [], ['WebSearch']],
  ['Tasks', taskDefinitions(), [], tasks],
  ['Tasks', durableTaskDefinitions(), ['processes'], tasks],
  ['AskUser', askUserDefinition(), [], ['AskUser']],
  ['Skill', skillDefinition({}), [], ['Skill']],
  ['Skill', workspaceSkillDefinition({ readGuard }), ['workspace'], ['Skill']],
]

/** All that a session offers. */
async function offered(): Promise<AvailableBindings> {
  const [root, directory] = [await tempWorkspace(), await tempWorkspace()]
  const made = new Map<string, Promise<SessionResource>>()
  const getOrCreate = (key: string, create: (directory: string) => Promise<SessionResource>) => {
    const resource = made.get(key) ?? create(directory)
    made.set(key, resource)
    return resource
  }
  // proved: what is kept under a key is what its creator made
  const resources = { getOrCreate } as never
  return { ...newIdentity(), workspace: { root }, processes: { resources } }
}

describe('the catalogue', () => {
  it.each(catalogue)(
    '%s says what it requires and produces, and builds just that',
    async (name, definition, requires, produces) => {
      const tools = await buildTools(definition, await offered())

      expect([definition.name, definition.requires]).toEqual([name, requires])
      expect(definition.produces.map((tool) => tool.name)).toEqual(produces)
      expect(tools.map(({ info }) => info.name)).toEqual(produces)
    },
  )

  it.each(catalogue)('%s builds instances of its own, also of builds that run at once', async (_name, definition) => {
    const available = await offered()

    const builds = await Promise.all([buildTools(definition, available), buildTools(definition, available)])

    const tools = builds.flat()
    expect(new Set(tools).size).toBe(tools.length)
  })

  it.each(catalogue.filter(([, { requires }]) => requires.length > 0))(
    '%s is refused without what it requires, before anything of it exists',
    async (name, definition) => {
      for (const missing of definition.requires) {
        const building = buildTools(definition, { ...(await offered()), [missing]: undefined })

        await expect(building).rejects.toMatchObject({
          code: 'missing_dependency',
          definition: name,
          dependency: missing,
        })
      }
    },
  )

  it.each(catalogue)('%s takes no argument that its schema does not name', async (_name, definition) => {
    for (const { info } of await buildTools(definition, await offered())) {
      expect(info.inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
    }
  })

  it.each(catalogue)('%s runs nothing without a seal, nor with one of another tool', async (_name, definition) => {
    for (const tool of await buildTools(definition, await offered())) {
      const context = newContext()
      const { executionId } = context
      const request = { toolName: 'Other', summary: 'other', requirements: [] }
      const foreign = seal({ executionId, request, artifact: { path: '/', command: 'true' } })

      for (const prepared of [undefined, { executionId, toolName: tool.info.name }, foreign]) {
        expect(await tool.invoke({ ...context, prepared }, '{}')).toMatchObject({ code: 'permission_denied' })
      }
    }
  })

  it('gives no two tools one name, apart from those that are two forms of one', () => {
    const names = catalogue.flatMap(([name, , , produces]) => (name === 'Tasks' || name === 'Skill' ? [] : produces))

    expect(new Set(names).size).toBe(names.length)
  })
})
