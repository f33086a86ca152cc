import { DefinitionBuildError, defineTool, errorResult, ToolError, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buildTool, callTool, newContext, textOfResult } from '../support/call-tool.ts'

const add = defineTool({
  name: 'add',
  description: 'Add two integers.',
  pure: true,
  inputSchema: z.strictObject({ a: z.int(), b: z.int() }),
  run: ({ a, b }) => textResult(String(a + b)),
})

function throwing(thrown: unknown) {
  return defineTool({
    name: 'fail',
    description: 'Fail.',
    pure: true,
    inputSchema: z.strictObject({}),
    run: () => {
      throw thrown
    },
  })
}

describe('defineTool', () => {
  it('prepares a pure tool like any other: nothing asked, the input as artifact', async () => {
    const tool = await buildTool(add, '/')

    const prepared = await tool.prepareCall(newContext(), '{"a":1,"b":2}')

    expect(prepared).toEqual({
      request: { toolName: 'add', summary: 'add', requirements: [] },
      artifact: { a: 1, b: 2 },
    })
    expect(Object.isFrozen(prepared.artifact)).toBe(true)
    expect(textOfResult(await callTool(add, '/', { a: 1, b: 2 }))).toBe('3')
  })

  it('refuses a pure tool without its seal as well', async () => {
    const tool = await buildTool(add, '/')

    expect(await tool.invoke(newContext(), '{"a":1,"b":2}')).toMatchObject({ isError: true, code: 'permission_denied' })
  })

  it('shows the schema, frozen, with a digest that says the same for the same schema', async () => {
    const tool = await buildTool(add, '/')

    expect(tool.info.inputSchema).toMatchObject({ type: 'object', required: ['a', 'b'], additionalProperties: false })
    expect(Object.isFrozen(tool.info.inputSchema.properties)).toBe(true)
    expect(tool.info.schemaDigest).toMatch(/^[0-9a-f]{64}$/)
    expect(add.produces).toEqual([{ name: 'add', schemaDigest: tool.info.schemaDigest }])
  })

  it('counts a pure tool as safe to replay, and another only when it says so', async () => {
    const spec = {
      name: 'x',
      description: 'x',
      inputSchema: z.strictObject({}),
      prepare: () => ({ summary: 's', artifact: 1, requirements: [] }),
      run: () => textResult(''),
    }

    expect((await buildTool(add, '/')).replaySafe).toBe(true)
    expect((await buildTool(defineTool(spec), '/')).replaySafe).toBe(false)
    expect((await buildTool(defineTool({ ...spec, replaySafe: true }), '/')).replaySafe).toBe(true)
  })

  it.each([
    ['{"a":1,"b":2,"not_known":"SENTINEL"}', /not_known/],
    ['{"a":"SENTINEL","b":2}', /a: /],
    ['{"a":1}', /b: /],
    ['SENTINEL', /not valid JSON/],
    ['["SENTINEL"]', /not a JSON object/],
    ['', /a: /],
  ])('tells what is wrong with %s, and never a value', async (argsJson, message) => {
    const tool = await buildTool(add, '/')

    const error = await tool.prepareCall(newContext(), argsJson).catch((thrown: unknown) => thrown)

    expect(error).toMatchObject({ code: 'invalid_arguments' })
    expect(String(error)).toMatch(message)
    expect(String(error)).not.toContain('SENTINEL')
  })

  it('keeps a message well formed, whatever a model calls an argument', async () => {
    const tool = await buildTool(add, '/')

    for (const key of ['\ud83d', `${'x'.repeat(966)}${'😀'.repeat(50)}`]) {
      const argsJson = JSON.stringify({ a: 1, b: 2, [key]: 3 })
      const error = await tool.prepareCall(newContext(), argsJson).catch((thrown: unknown) => thrown)
      expect(String(error).isWellFormed()).toBe(true)
    }
  })

  it('turns a ToolError into its result', async () => {
    expect(await callTool(throwing(new ToolError('too_late', 'too late')), '/', {})).toEqual(
      errorResult('too_late', 'too late'),
    )
  })

  it.each([[new Error('SENTINEL')], ['SENTINEL'], [undefined]])('tells nothing of another error', async (thrown) => {
    expect(await callTool(throwing(thrown), '/', {})).toEqual(errorResult('tool_failed', 'the tool failed'))
  })

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'has space' }, 'name'],
    [{ name: 'x'.repeat(65) }, 'name'],
    [{ run: undefined }, 'run'],
    [{ pure: false }, 'prepare'],
    [{ inputSchema: z.string() }, 'inputSchema'],
    [{ inputSchema: z.strictObject({ when: z.date() }) }, 'inputSchema'],
  ])('refuses a definition with %j', (change, dependency) => {
    const spec = { name: 'x', description: 'x', pure: true, inputSchema: z.strictObject({}), run: () => textResult('') }
    const define = () => defineTool({ ...spec, ...change } as never) // a caller without types

    expect(define).toThrow(DefinitionBuildError)
    expect(define).toThrow(expect.objectContaining({ code: 'invalid_definition', dependency }))
  })

  it('does not see a change of its spec after it is defined', async () => {
    const spec = {
      name: 'x',
      description: 'x',
      pure: true as const,
      inputSchema: z.strictObject({}),
      run: () => textResult('first'),
    }
    const definition = defineTool(spec)

    spec.run = () => textResult('second')

    expect(textOfResult(await callTool(definition, '/', {}))).toBe('first')
  })

  it('runs setup once for each build and gives its value to prepare and run', async () => {
    let setups = 0
    const counter = defineTool({
      name: 'count',
      description: 'Count.',
      inputSchema: z.strictObject({}),
      setup: () => ({ id: ++setups, calls: 0 }),
      prepare: (_input, { deps }) => ({ summary: 'count', artifact: { id: deps.id }, requirements: [] }),
      run: ({ id }, { deps }) => textResult(`${id} ${++deps.calls}`),
    })

    expect(textOfResult(await callTool(counter, '/', {}))).toBe('1 1')
    expect(textOfResult(await callTool(counter, '/', {}))).toBe('2 1')
  })
})
