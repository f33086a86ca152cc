import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltPackages, buildPackages } from '../../support/built-packages.ts'
import { tempWorkspace } from '../../support/temp-workspace.ts'

let built: BuiltPackages

beforeAll(async () => {
  built = await buildPackages()
}, 120_000)

afterAll(() => rm(built.folder, { recursive: true, force: true }))

/** Reads a file and then overwrites it for ever, with a megabyte of one letter after the other. */
const writeForEver = `
  import { buildTools, createFileObservations, createWorkspaceCoordinator, seal } from '@looprig/tools'
  import { createReadGuard, readFileDefinition, writeFileDefinition } from '@looprig/tools/workspace'

  const deps = { readGuard: createReadGuard({ deny: [], maxReadBytes: 1000 }) }
  const workspace = {
    root: process.argv[1],
    coordinator: createWorkspaceCoordinator(),
    observations: createFileObservations(),
  }
  const ids = { sessionId: 'session', loopId: 'loop', workspace }
  const [read] = await buildTools(readFileDefinition(deps), ids)
  const [write] = await buildTools(writeFileDefinition(deps), ids)
  const signal = new AbortController().signal
  async function call(tool, executionId, args) {
    const context = { executionId, toolUseId: 'call', signal }
    const prepared = seal({ executionId, ...(await tool.prepareCall(context, JSON.stringify(args))) })
    const result = await tool.invoke({ ...context, prepared }, '')
    if (result.isError) throw new Error(result.content[0].text)
  }
  await call(read, 'read', { path: 'a.txt' })
  for (let count = 0; ; count += 1) {
    await call(write, String(count), { path: 'a.txt', content: 'abcdefghij'[count % 10].repeat(1_000_000) })
    process.stdout.write('.')
  }
`

describe('a writer that is killed', () => {
  it('leaves the old file or the new one, whole, and nothing under its name in between', async () => {
    const root = await tempWorkspace({ 'a.txt': 'start'.repeat(200_000) })
    const script = join(built.folder, 'write-for-ever.mjs')
    await writeFile(script, `process.argv.splice(1, 1)\n${writeForEver}`)
    for (let kill = 0; kill < 6; kill += 1) {
      const child = spawn(process.execPath, [script, root], { stdio: ['ignore', 'pipe', 'inherit'] })
      const gone = once(child, 'close')
      // a different moment of a write each time
      for (let writes = 0; writes <= kill * 3; writes += 1) await once(child.stdout, 'data')
      await new Promise((resolve) => setImmediate(resolve))
      child.kill('SIGKILL')
      await gone

      const text = await readFile(join(root, 'a.txt'), 'utf8')
      expect(text).toHaveLength(1_000_000)
      expect(new Set(text).size, 'one write, not parts of two').toBe(1)
      const others = (await readdir(root)).filter((name) => name !== 'a.txt')
      expect(others.every((name) => /^\.looprig-write-[0-9a-f]{32}\.tmp$/.test(name))).toBe(true)
    }
  }, 60_000)
})
