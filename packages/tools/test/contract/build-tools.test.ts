import {
  type BindingName,
  buildTools,
  createWorkspaceCoordinator,
  DefinitionBuildError,
  defineBundle,
  defineTool,
  type ToolDefinition,
  textResult,
  type WorkspaceBinding,
} from '@looprig/tools'
import { globDefinition, grepDefinition, readFileDefinition } from '@looprig/tools/workspace'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { invokePrepared, newContext, newIdentity, textOfResult } from '../support/call-tool.ts'
import { readGuard } from '../support/read-guard.ts'

const workspace = { root: '/' }
const catalogue = [readFileDefinition({ readGuard }), globDefinition({ readGuard }), grepDefinition({ readGuard })]

const counters = defineBundle({
  name: 'counters',
  setup: () => ({ count: 0 }),
  tools: (tool) => [
    tool({
      name: 'up',
      description: 'Count up.',
      pure: true,
      inputSchema: z.strictObject({}),
      run: (_input, { deps }) => textResult(String(++deps.count)),
    }),
    tool({
      name: 'show',
      description: 'Show.',
      pure: true,
      inputSchema: z.strictObject({}),
      run: (_input, { deps }) => textResult(String(deps.count)),
    }),
  ],
})

const processes = { resources: { getOrCreate: async () => Promise.reject(new Error('none')) } }
const [tool] = await buildTools(counters, newIdentity())
if (tool === undefined) throw new Error('the bundle has no tool')
const { info } = tool
/** A tool of another make. */
const methods = { prepareCall: none, invoke: none, writeTarget: none, auditSummary: none }

function none(): undefined {}

function spying(requires: readonly BindingName[], look: (bindings: object) => unknown): ToolDefinition {
  return defineTool({
    name: 'spy',
    description: 'Spy.',
    pure: true,
    requires,
    inputSchema: z.strictObject({}),
    setup: (bindings): undefined => void look(bindings),
    run: () => textResult(''),
  })
}

async function call(definition: ToolDefinition) {
  const tools = await buildTools(definition, newIdentity())
  return async (name: string) => {
    const tool = tools.find(({ info }) => info.name === name)
    if (tool === undefined) throw new Error(name)
    const context = newContext()
    return textOfResult(await invokePrepared(tool, context, await tool.prepareCall(context, '{}')))
  }
}

describe('buildTools', () => {
  it.each([
    ['ReadFile', catalogue[0]],
    ['Glob', catalogue[1]],
    ['Grep', catalogue[2]],
  ])('builds %s from what it requires, safe to replay', async (name, definition) => {
    const [tool] = await buildTools(definition as ToolDefinition, { ...newIdentity(), workspace })

    expect(definition).toMatchObject({ name, requires: ['workspace'], produces: [{ name }] })
    expect(tool).toMatchObject({ replaySafe: true, sequential: false })
    expect(tool?.writeTarget({})).toBeUndefined()
  })

  it.each(catalogue.map((definition) => [definition.name, definition] as const))(
    'does not build %s without a workspace',
    async (name, definition) => {
      const building = buildTools(definition, newIdentity())

      await expect(building).rejects.toThrow(DefinitionBuildError)
      await expect(building).rejects.toMatchObject({
        code: 'missing_dependency',
        definition: name,
        dependency: 'workspace',
      })
    },
  )

  it.each([
    ['ReadFile', readFileDefinition],
    ['Glob', globDefinition],
    ['Grep', grepDefinition],
  ])('does not build %s without a read guard', async (name, define) => {
    for (const deps of [undefined, {}, { readGuard: {} }]) {
      const building = buildTools(define(deps as never), { ...newIdentity(), workspace }) // a caller without types
      await expect(building).rejects.toMatchObject({
        code: 'missing_dependency',
        definition: name,
        dependency: 'read_guard',
      })
    }
  })

  it('gives fresh instances for every build, also of concurrent ones', async () => {
    for (const definition of [...catalogue, counters]) {
      const [first, second] = await Promise.all([
        buildTools(definition, { ...newIdentity(), workspace }),
        buildTools(definition, { ...newIdentity(), workspace }),
      ])
      expect(first.some((tool) => second.includes(tool))).toBe(false)
    }
  })

  it('gives a definition nothing that it does not require', async () => {
    let seen: object = {}
    const spy = defineTool({
      name: 'spy',
      description: 'Spy.',
      pure: true,
      inputSchema: z.strictObject({}),
      setup: (bindings) => {
        seen = bindings
      },
      run: () => textResult(''),
    })

    await buildTools(spy, { ...newIdentity(), workspace })

    expect(Object.keys(seen).sort()).toEqual(['loopId', 'sessionId'])
    expect(Object.isFrozen(seen)).toBe(true)
  })

  it('carries the cause of a setup that fails', async () => {
    const cause = new Error('no disk')
    const broken = defineTool({
      name: 'broken',
      description: 'Broken.',
      pure: true,
      inputSchema: z.strictObject({}),
      setup: (): undefined => {
        throw cause
      },
      run: () => textResult(''),
    })

    await expect(buildTools(broken, newIdentity())).rejects.toMatchObject({
      code: 'setup_failed',
      definition: 'broken',
      cause,
    })
  })

  it('refuses a definition that yields other tools than it says', async () => {
    const [identity] = counters.produces
    const liar: ToolDefinition = {
      name: 'liar',
      requires: [],
      produces: [{ ...identity, name: 'other' }] as never,
      build: counters.build,
    }

    await expect(buildTools(liar, newIdentity())).rejects.toMatchObject({
      code: 'produced_names_mismatch',
      dependency: 'produces',
      produced: { declared: ['other'], actual: ['up', 'show'] },
      message: expect.stringContaining('declared [other], built [up, show]'),
    })
  })

  it('refuses a definition whose tool takes other arguments than it says', async () => {
    const [up, show] = counters.produces
    const liar = { ...counters, produces: [up, { ...show, schemaDigest: '0' }] } as ToolDefinition

    await expect(buildTools(liar, newIdentity())).rejects.toMatchObject({
      code: 'invalid_definition',
      dependency: 'produces[1].schemaDigest',
    })
  })

  it.each([
    ['no definition', undefined, 'name'],
    ['no name', { name: ' ' }, 'name'],
    ['no build', { build: undefined }, 'build'],
    ['no list of requirements', { requires: undefined }, 'requires'],
    ['a requirement that nobody knows', { requires: ['network'] }, 'requires'],
    ['no list of tools', { produces: undefined }, 'produces'],
    ['no tool', { produces: [] }, 'produces'],
    ['a tool without a name', { produces: [{ name: '', schemaDigest: '' }] }, 'produces[0].name'],
    ['a tool without a digest', { produces: [{ name: 'up' }] }, 'produces[0].schemaDigest'],
    ['a tool twice', { produces: [...counters.produces, counters.produces[0]] }, 'produces[2].name'],
  ])('refuses a definition written by hand with %s, before it is built', async (_what, change, dependency) => {
    let builds = 0
    const build = async () => {
      builds += 1
      return []
    }
    const odd = change && ({ ...counters, build, ...change } as never)

    const building = buildTools(odd as never, newIdentity()) // a caller without types

    await expect(building).rejects.toMatchObject({ code: 'invalid_definition', dependency })
    expect(builds).toBe(0)
  })

  it.each([
    ['no list', async () => ({}), 'tools'],
    ['nothing', async () => undefined, 'tools'],
    ['nothing in its place', async () => [null, null], 'tools[0]'],
    ['a tool that cannot be run', async () => [{ prepareCall: () => undefined }], 'tools[0].invoke'],
    ['a tool that says nothing of itself', async () => [{ ...methods, info: undefined }], 'tools[0].info'],
    ['a tool without a name', async () => [{ ...methods, info: { ...info, name: ' ' } }], 'tools[0].info'],
    [
      'a tool that fails at being looked at',
      async () => [
        {
          ...methods,
          get info() {
            throw new Error('SENTINEL')
          },
        },
      ],
      'tools[0].info',
    ],
  ])('refuses a definition that builds %s', async (_what, build, dependency) => {
    const building = buildTools({ ...counters, build } as never, newIdentity())

    await expect(building).rejects.toMatchObject({ code: 'invalid_tool', definition: 'counters', dependency })
    await expect(building).rejects.not.toThrow(/SENTINEL/)
  })

  it.each([
    [{ sessionId: '' }, 'sessionId'],
    [{ loopId: undefined }, 'loopId'],
    [{ workspace: { root: ' ' } }, 'workspace.root'],
    [{ workspace: { root: 'relative' } }, 'workspace.root'],
    [{ workspace: { root: '/', coordinator: {} } }, 'workspace.coordinator'],
    [{ workspace: { root: '/', observations: null } }, 'workspace.observations'],
    [{ processes: {} }, 'processes.resources'],
  ])('refuses bindings with %j, before setup runs', async (change, dependency) => {
    let setups = 0
    const both = spying(['workspace', 'processes'], () => {
      setups += 1
    })

    const building = buildTools(both, { ...newIdentity(), workspace, processes, ...change } as never)

    await expect(building).rejects.toMatchObject({ code: 'invalid_binding', definition: 'spy', dependency })
    expect(setups).toBe(0)
  })

  it.each([
    [['workspace'] as const, ['loopId', 'sessionId', 'workspace']],
    [['processes'] as const, ['loopId', 'processes', 'sessionId']],
    [['workspace', 'processes'] as const, ['loopId', 'processes', 'sessionId', 'workspace']],
  ])('gives a definition that requires %j those bindings and no other', async (requires, keys) => {
    const seen: object[] = []

    await buildTools(
      spying(requires, (bindings) => seen.push(bindings)),
      { ...newIdentity(), workspace, processes, secret: 'no binding' } as never,
    )

    expect(seen.map((bindings) => Object.keys(bindings).sort())).toEqual([keys])
  })

  it('hands over frozen copies of the bindings, whatever their owner adds to them', async () => {
    const offered = { root: '/', coordinator: createWorkspaceCoordinator(), secret: 'of the owner' }
    const seen: { workspace?: object }[] = []

    await buildTools(
      spying(['workspace'], (bindings) => seen.push(bindings)),
      { ...newIdentity(), workspace: offered },
    )

    expect(Object.keys(seen[0]?.workspace ?? {}).sort()).toEqual(['coordinator', 'observations', 'root'])
    expect(Object.isFrozen(seen[0]?.workspace)).toBe(true)
    expect(seen[0]?.workspace).toMatchObject({ coordinator: offered.coordinator })
  })

  it('makes what the offered workspace leaves out, anew for every build', async () => {
    const seen: { workspace?: WorkspaceBinding }[] = []
    const spy = spying(['workspace'], (bindings) => seen.push(bindings))

    for (let build = 0; build < 2; build += 1) await buildTools(spy, { ...newIdentity(), workspace })

    const [first, second] = seen.map((bindings) => bindings.workspace)
    expect(first?.coordinator).not.toBe(second?.coordinator)
    expect(first?.observations).not.toBe(second?.observations)
    await expect(first?.coordinator.acquire({ kind: 'whole' }, AbortSignal.timeout(1_000))).resolves.toBeDefined()
  })
})

describe('defineBundle', () => {
  it('shares its state among the tools of one build, and not between builds', async () => {
    const first = await call(counters)
    const second = await call(counters)

    expect([await first('up'), await first('up'), await first('show')]).toEqual(['1', '2', '2'])
    expect(await second('show')).toBe('0')
  })

  it.each([
    [{ name: '' }, 'name'],
    [{ setup: undefined }, 'setup'],
    [{ requires: ['network'] }, 'requires'],
    [{ tools: () => [] }, 'tools'],
    [{ tools: (add: (spec: object) => object) => [add(up), add(up)] }, 'tools'],
  ])('refuses a bundle with %j', (change, dependency) => {
    const bundle = { name: 'b', setup: () => undefined, tools: (add: (spec: object) => object) => [add(up)], ...change }
    const define = () => defineBundle(bundle as never) // a caller without types

    expect(define).toThrow(expect.objectContaining({ code: 'invalid_definition', dependency }))
  })
})

const up = {
  name: 'up',
  description: 'Up.',
  pure: true,
  inputSchema: z.strictObject({}),
  run: () => textResult(''),
}
