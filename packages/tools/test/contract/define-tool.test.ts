import {
  DefinitionBuildError,
  defineTool,
  errorResult,
  seal,
  ToolError,
  textResult,
  writeRequirement,
} from '@looprig/tools'
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

  it('keeps control characters out of a message, whatever a model calls an argument', async () => {
    const tool = await buildTool(add, '/')

    const error = tool.prepareCall(newContext(), '{"a":1,"b":2,"x\\u001b[2J\\ny":1}')

    await expect(error).rejects.toThrow('invalid arguments: Unrecognized key: "x [2J y"')
  })

  it.each([
    ['{"text":"\\ud83d"}', false],
    ['{"text":"\\uDE00 \\ud83d"}', false],
    ['{"text":"\ud83d"}', false],
    ['{"text":"\\ud83d\\ude00"}', true],
    ['{"text":"\\\\ud83d"}', true],
    ['{"text":"😀"}', true],
  ])('takes whole characters only: %j %s', async (argsJson, isTaken) => {
    const echo = defineTool({
      name: 'echo',
      description: 'Echo.',
      pure: true,
      inputSchema: z.strictObject({ text: z.string() }),
      run: ({ text }) => textResult(text),
    })
    const tool = await buildTool(echo, '/')

    const taken = await tool.prepareCall(newContext(), argsJson).then(
      () => true,
      (error: Error) => error.message,
    )

    expect(taken).toBe(isTaken || 'invalid arguments: text: expected text without half of a character')
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
    [{ description: undefined }, 'description'],
    [{ description: ' ' }, 'description'],
    [{ setup: 7 }, 'setup'],
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ timeoutMs: 86_400_001 }, 'timeoutMs'],
    [{ timeoutMs: '1' }, 'timeoutMs'],
    [{ requires: ['network'] }, 'requires'],
    [{ requires: ['workspace', 'workspace'] }, 'requires'],
    [{ requires: 'workspace' }, 'requires'],
    [{ requires: ['__proto__'] }, 'requires'],
    [{ inputSchema: undefined }, 'inputSchema'],
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

  it('runs nothing once the call is aborted, and uses its seal up', async () => {
    let runs = 0
    const tool = await buildTool(
      defineTool({
        name: 'once',
        description: 'Once.',
        pure: true,
        inputSchema: z.strictObject({}),
        run: () => textResult(String(++runs)),
      }),
      '/',
    )
    const context = newContext()
    const prepared = seal({ executionId: context.executionId, ...(await tool.prepareCall(context, '{}')) })

    const aborted = await tool.invoke({ ...context, signal: AbortSignal.abort(), prepared }, '{}')
    const again = await tool.invoke({ ...context, prepared }, '{}')

    expect([aborted.code, again.code, runs]).toEqual(['interrupted', 'permission_denied', 0])
  })

  it.each<[string, () => string, string]>([
    ['what the tool says', () => 'read a.txt', 'read a.txt'],
    ['one line of it', () => 'a\nb\u0007\u2028c\t', 'a b  c'],
    ['the start of what is too long', () => '😀'.repeat(1_000), '😀'.repeat(256)],
    ['a well formed text', () => 'half \ud83d', 'half \ufffd'],
    ['the name where it says nothing', () => ' ', 'audited'],
    ['the name where it is no text', () => Promise.resolve('late') as never, 'audited'],
    [
      'the name where it throws',
      () => {
        throw new Error('SENTINEL')
      },
      'audited',
    ],
  ])('tells audits %s', async (_what, auditSummary, line) => {
    const tool = await buildTool(
      defineTool({
        name: 'audited',
        description: 'Audited.',
        inputSchema: z.strictObject({}),
        prepare: () => ({ summary: 's', artifact: {}, requirements: [] }),
        run: () => textResult(''),
        auditSummary,
      }),
      '/',
    )

    expect(tool.auditSummary({})).toBe(line)
  })

  it('passes on sequential, timeoutMs, writeTarget, grants and the progress sink', async () => {
    const told: string[] = []
    const tool = await buildTool(
      defineTool({
        name: 'all',
        description: 'All.',
        inputSchema: z.strictObject({}),
        sequential: true,
        timeoutMs: 5_000,
        prepare: () => ({ summary: 's', artifact: { path: '/a' }, requirements: [writeRequirement('/a')] }),
        run: (_artifact, { grants, progress }) => {
          progress?.('half way')
          return textResult(grants.join())
        },
        writeTarget: ({ path }) => path,
      }),
      '/',
    )
    const context = { ...newContext(), progress: (text: string) => void told.push(text) }
    const { request, artifact } = await tool.prepareCall(context, '{}')
    const prepared = seal({ executionId: context.executionId, request, artifact, grants: ['token'] })

    expect(textOfResult(await tool.invoke({ ...context, prepared }, '{}'))).toBe('token')
    expect(tool).toMatchObject({ sequential: true, timeoutMs: 5_000, replaySafe: false })
    expect([tool.writeTarget(artifact), told]).toEqual(['/a', ['half way']])
  })
})
