import {
  buildTools,
  DefinitionBuildError,
  defineBundle,
  defineTool,
  type ToolDefinition,
  textResult,
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
      code: 'invalid_definition',
      dependency: 'produces',
    })
  })
})

describe('defineBundle', () => {
  it('shares its state among the tools of one build, and not between builds', async () => {
    const first = await call(counters)
    const second = await call(counters)

    expect([await first('up'), await first('up'), await first('show')]).toEqual(['1', '2', '2'])
    expect(await second('show')).toBe('0')
  })
})
