import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineTool, type ToolDefinition, textResult, writeRequirement } from '@looprig/tools'
import { runToolContract, type ToolContractWorld } from '@looprig/tools/testing'
import { globDefinition, grepDefinition, readFileDefinition } from '@looprig/tools/workspace'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readGuard } from '../support/read-guard.ts'
import { tempWorkspace } from '../support/temp-workspace.ts'

const append = defineTool({
  name: 'Append',
  description: 'Append a line to a file.',
  requires: ['workspace'],
  inputSchema: z.strictObject({ line: z.string() }),
  prepare: ({ line }, { workspace }) => {
    const path = join(workspace.root, 'a.txt')
    return { summary: 'append a line', artifact: { path, line }, requirements: [writeRequirement(path)] }
  },
  run: async ({ path, line }) => {
    await writeFile(path, `${await readFile(path, 'utf8')}${line}\n`)
    return textResult('appended')
  },
  writeTarget: ({ path }) => path,
})

function openWorld(definition: ToolDefinition, args: ToolContractWorld['args']): () => Promise<ToolContractWorld> {
  return async () => {
    const root = await tempWorkspace({ 'a.txt': 'needle\n' })
    return {
      definition,
      args,
      bindings: { workspace: { root } },
      observe: () => readFileSync(join(root, 'a.txt'), 'utf8'),
    }
  }
}

runToolContract({ describe, it }, { name: 'Append', open: openWorld(append, { line: 'x' }) })
runToolContract(
  { describe, it },
  { name: 'ReadFile', open: openWorld(readFileDefinition({ readGuard }), { path: 'a.txt' }) },
)
runToolContract({ describe, it }, { name: 'Glob', open: openWorld(globDefinition({ readGuard }), { pattern: '*' }) })
runToolContract(
  { describe, it },
  { name: 'Grep', open: openWorld(grepDefinition({ readGuard }, { ripgrep: false }), { pattern: 'needle' }) },
)

/** Runs the suite without a runner and gives the names of the checks that fail. */
async function failures(definition: ToolDefinition, args: ToolContractWorld['args']): Promise<string[]> {
  const checks: [string, () => Promise<void>][] = []
  const registrar = {
    describe: (_name: string, body: () => void) => body(),
    it: (name: string, check: () => Promise<void>) => checks.push([name, check]),
  }
  runToolContract(registrar, { name: 'x', open: openWorld(definition, args) })
  const failed: string[] = []
  for (const [name, check] of checks) await check().catch(() => failed.push(name))
  return failed
}

describe('runToolContract', () => {
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

    expect(await failures(hasty, {})).toEqual(['prepares a valid request and a frozen artifact, without any effect'])
  })

  it('finds a tool that lets unknown arguments pass', async () => {
    const loose = defineTool({
      name: 'Loose',
      description: 'x',
      pure: true,
      inputSchema: z.object({}),
      run: () => textResult('x'),
    })

    expect(await failures(loose, {})).toEqual(['names an unknown argument and never its value'])
  })

  it('finds an instance that is handed out twice', async () => {
    const built = append.build({ sessionId: '' as never, loopId: '' as never, workspace: { root: '/' } })
    const shared = { ...append, build: () => built } as ToolDefinition

    expect(await failures(shared, { line: 'x' })).toContain('builds fresh instances of the tools that it says')
  })

  it('finds half of an emoji in a result', async () => {
    const broken = defineTool({
      name: 'Broken',
      description: 'x',
      pure: true,
      inputSchema: z.strictObject({}),
      run: () => textResult('\ud83d'),
    })

    expect(await failures(broken, {})).toContain('runs the sealed call')
  })
})
