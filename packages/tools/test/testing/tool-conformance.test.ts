import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineTool, type ToolDefinition, ToolError, textResult, writeRequirement } from '@looprig/tools'
import { type ConformanceCase, runToolConformance } from '@looprig/tools/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { tempWorkspace } from '../support/temp-workspace.ts'

const line = z
  .string()
  .min(1)
  .max(1_000)
  .regex(/^[^\p{Cc}]*$/u)

const append = defineTool({
  name: 'Append',
  description: 'Append a line to a file.',
  requires: ['workspace'],
  inputSchema: z.strictObject({ line }),
  prepare: (input, { workspace }) => {
    const path = join(workspace.root, 'a.txt')
    return { summary: 'append a line', artifact: { path, ...input }, requirements: [writeRequirement(path)] }
  },
  run: async (artifact) => {
    if (artifact.line.startsWith('refuse')) throw new ToolError('line_refused', 'that line is refused')
    await writeFile(artifact.path, `${await readFile(artifact.path, 'utf8')}${artifact.line}\n`)
    return textResult('appended')
  },
  writeTarget: ({ path }) => path,
})

/** A world with one file, whose text is watched. */
function inWorkspace(args: ConformanceWorldArgs, rest: Partial<ConformanceCase> = {}): ConformanceCase {
  return {
    name: 'a call',
    open: async () => {
      const root = await tempWorkspace({ 'a.txt': 'needle\n' })
      const observe = () => readFileSync(join(root, 'a.txt'), 'utf8')
      return { args, bindings: { workspace: { root } }, observe }
    },
    ...rest,
  }
}

type ConformanceWorldArgs = Awaited<ReturnType<ConformanceCase['open']>>['args']

runToolConformance(
  append,
  [
    inWorkspace({ line: 'SENTINEL-line' }, { sentinels: ['SENTINEL-line'] }),
    inWorkspace(
      { line: 'refuse SENTINEL-line' },
      { name: 'a refused line', fails: 'line_refused', codes: ['line_refused'], sentinels: ['SENTINEL-line'] },
    ),
  ],
  { describe, it },
)

/** Runs the suite without a runner and gives the names of the checks that fail. */
async function failures(definition: ToolDefinition, args: ConformanceWorldArgs, rest: Partial<ConformanceCase> = {}) {
  const checks: [string, () => Promise<void>][] = []
  runToolConformance(definition, [inWorkspace(args, rest)], {
    describe: (_name, body) => body(),
    it: (name, check) => checks.push([name, check]),
  })
  const failed: string[] = []
  for (const [name, check] of checks) await check().catch(() => failed.push(name))
  return failed
}

describe('runToolConformance', () => {
  it('finds an effect while a call is prepared', async () => {
    const hasty = defineTool({
      name: 'Hasty',
      description: 'Write too early.',
      requires: ['workspace'],
      inputSchema: z.strictObject({}),
      prepare: async (_input, { workspace }) => {
        await writeFile(join(workspace.root, 'a.txt'), String(Math.random()))
        return { summary: 'x', artifact: {}, requirements: [] }
      },
      run: () => textResult('x'),
    })

    expect(await failures(hasty, {})).toContain('prepares a valid request and a frozen artifact, without any effect')
  })

  it('finds a tool that lets unknown arguments pass', async () => {
    const loose = pureTool(z.object({}), () => textResult('x'))

    expect(await failures(loose, {})).toContain('names an unknown argument and never its value')
  })

  it('finds an instance that is handed out twice', async () => {
    const built = append.build({ workspace: { root: '/' } } as never) // nothing more of it is used
    const shared = { ...append, build: () => built } as ToolDefinition

    expect(await failures(shared, { line: 'x' })).toContain(
      'builds fresh instances of the tools that it says, also of concurrent builds',
    )
  })

  it('finds half of an emoji in a result', async () => {
    expect(
      await failures(
        pureTool(z.strictObject({}), () => textResult('\ud83d')),
        {},
      ),
    ).toContain('runs the sealed call')
  })

  it('finds a code that is of no set', async () => {
    const odd = pureTool(z.strictObject({}), () => textResult('x', { code: 'odd_code' }))

    expect(await failures(odd, {})).toContain('runs the sealed call')
    expect(await failures(odd, {}, { codes: ['odd_code'] })).toEqual([])
  })

  it('finds a text that takes anything, unless the case says that it does', async () => {
    const echo = pureTool(z.strictObject({ text: z.string() }), () => textResult('x'))

    expect(await failures(echo, { text: 'x' })).toEqual([
      'refuses control bytes in a text argument',
      'refuses an overlong text argument',
      'refuses an empty text argument',
    ])
    expect(await failures(echo, { text: 'x' }, { accepts: { text: ['control', 'overlong', 'empty'] } })).toEqual([])
  })

  it('finds an argument below the first level that takes anything', async () => {
    const deep = pureTool(z.strictObject({ edits: z.array(z.strictObject({ old: z.string() })) }), () =>
      textResult('x'),
    )

    const accepts = { 'edits.old': ['control', 'overlong', 'empty'] } as const
    expect(await failures(deep, { edits: [{ old: 'x' }] })).toHaveLength(3)
    expect(await failures(deep, { edits: [{ old: 'x' }] }, { accepts })).toEqual([])
  })

  it('finds a secret in the summary, in the audit line and in an error', async () => {
    const chatty = defineTool({
      name: 'Chatty',
      description: 'Tell too much.',
      inputSchema: z.strictObject({ line }),
      prepare: (input) => ({ summary: `say ${input.line}`, artifact: input, requirements: [] }),
      run: (artifact) => {
        throw new ToolError('line_refused', `no ${artifact.line}`)
      },
      auditSummary: (artifact) => artifact.line,
    })
    const told = { sentinels: ['SECRET'], codes: ['line_refused'] }

    expect(await failures(chatty, { line: 'SECRET' }, told)).toContain('tells people one bounded line of each thing')
    expect(await failures(chatty, { line: 'SECRET' }, { ...told, fails: 'line_refused' })).toHaveLength(1)
  })

  it('finds where the workspace is on the host, in an audit line and in an error', async () => {
    const chatty = defineTool({
      name: 'Chatty',
      description: 'Tell too much.',
      requires: ['workspace'],
      inputSchema: z.strictObject({}),
      prepare: (_input, { workspace: { root } }) => ({ summary: 'look', artifact: { root }, requirements: [] }),
      run: ({ root }) => {
        throw new ToolError('unreadable', `no ${root}/a.txt`)
      },
      auditSummary: ({ root }) => `look at ${root}`,
    })

    expect(await failures(chatty, {}, { codes: ['unreadable'] })).toContain(
      'tells people one bounded line of each thing',
    )
    expect(await failures(chatty, {}, { codes: ['unreadable'], fails: 'unreadable' })).toHaveLength(1)
  })

  it('finds an effect of a call that says that it can be run again', async () => {
    const liar = defineTool({
      name: 'Liar',
      description: 'Write.',
      requires: ['workspace'],
      inputSchema: z.strictObject({}),
      replaySafe: true,
      prepare: () => ({ summary: 'x', artifact: {}, requirements: [] }),
      run: async (_artifact, { workspace }) => {
        await writeFile(join(workspace.root, 'a.txt'), String(Math.random()))
        return textResult('x')
      },
    })

    expect(await failures(liar, {})).toEqual(['changes nothing when it says that it can be run again'])
  })

  it('finds an untyped error of a schema that was written by hand', async () => {
    const parse = (value: { readonly [key: string]: unknown }) => {
      if (value.a !== 1) throw new RangeError('a')
      return value
    }
    const raw = pureTool(
      { jsonSchema: { type: 'object', properties: { a: { type: 'number' } } }, parse } as never,
      () => textResult('x'),
    )

    expect(await failures(raw, { a: 1 })).toContain('names an argument of the wrong type and never its value')
  })

  it('closes the world of a test that fails', async () => {
    const open = { worlds: 0 }
    const failing = pureTool(z.object({}), () => textResult('\ud83d'))
    const checks: (() => Promise<void>)[] = []
    const openWorld = () => {
      open.worlds += 1
      const close = () => {
        open.worlds -= 1
      }
      return { args: {}, close }
    }
    runToolConformance(failing, [{ name: 'x', open: openWorld }], {
      describe: (_name, body) => body(),
      it: (_name, check) => checks.push(check),
    })

    for (const check of checks) await check().catch(() => undefined)

    expect(open.worlds).toBe(0)
  })

  it('asks for at least one case', () => {
    expect(() => runToolConformance(append, [], { describe, it })).toThrow(TypeError)
  })
})

function pureTool<I>(inputSchema: z.ZodType<I>, run: () => ReturnType<typeof textResult>): ToolDefinition {
  return defineTool({ name: 'Pure', description: 'Pure.', pure: true, inputSchema, run })
}
