import { readdir, readFile, rm } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltPackages, buildPackages } from '../support/built-packages.ts'
import { tempWorkspace } from '../support/temp-workspace.ts'

let built: BuiltPackages

beforeAll(async () => {
  built = await buildPackages()
}, 120_000)

afterAll(() => rm(built.folder, { recursive: true, force: true }))

/** Seals through one door and invokes a tool of another. */
const callThroughDoors = `
  import { parseId, uuidV7 } from '@looprig/core'
  import { buildTools, seal } from '@looprig/tools'
  import * as doors from '@looprig/tools/workspace'

  const readGuard = doors.createReadGuard({ deny: [], maxReadBytes: 1000 })
  const [root, name, args] = process.argv.slice(1)
  const definition = doors[name]({ readGuard }, { ripgrep: false })
  const ids = { sessionId: parseId('SessionId', uuidV7()), loopId: parseId('LoopId', uuidV7()) }
  const [tool] = await buildTools(definition, { ...ids, workspace: { root } })
  const executionId = parseId('ToolExecutionId', uuidV7())
  const context = { executionId, toolUseId: 'call', signal: new AbortController().signal }
  const prepared = seal({ executionId, ...(await tool.prepareCall(context, args)) })
  const result = await tool.invoke({ ...context, prepared }, '')
  process.stdout.write(result.content[0].text)
`

describe('the built doors', () => {
  it.each([
    ['readFileDefinition', { path: 'a.txt' }, '   1\tneedle'],
    ['globDefinition', { pattern: '*' }, 'a.txt'],
    ['grepDefinition', { pattern: 'n..dle' }, 'a.txt:1:needle'],
    ['writeFileDefinition', { path: 'b.txt', content: 'x' }, 'wrote b.txt (1 bytes)'],
  ])('agree on the seal: %s', async (name, args, expected) => {
    const root = await tempWorkspace({ 'a.txt': 'needle\n' })

    expect(built.run(callThroughDoors, root, name, JSON.stringify(args))).toBe(expected)
  })

  it.each([
    '@looprig/tools',
    '@looprig/tools/workspace',
    '@looprig/tools/process',
    '@looprig/tools/web',
    '@looprig/tools/task',
    '@looprig/tools/ask-user',
    '@looprig/tools/skill',
    '@looprig/tools/permission',
    '@looprig/tools/testing',
  ])('can be required: %s', (door) => {
    const script = `
      import { createRequire } from 'node:module'
      process.stdout.write(Object.keys(createRequire(process.cwd() + '/x.js')(${JSON.stringify(door)})).join())
    `

    expect(built.run(script)).not.toBe('')
  })

  it('load nothing but core and zod with the root door', () => {
    const script = `
      import { register } from 'node:module'
      const hook = 'export async function resolve(name, context, next) { console.log(name); return next(name, context) }'
      register('data:text/javascript,' + encodeURIComponent(hook))
      await import('@looprig/tools')
    `

    const names = built
      .run(script)
      .split('\n')
      .filter((name) => /^[@a-z]/.test(name) && !isBuiltin(name))

    expect([...new Set(names)].filter((name) => !/^zod\b/.test(name)).sort()).toEqual([
      '@looprig/core',
      '@looprig/tools',
    ])
  })

  it('hold one copy of the seal', async () => {
    const folder = join(built.folder, 'node_modules/@looprig/tools/dist')
    const files = (await readdir(folder)).filter((name) => name.endsWith('.js'))

    const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))

    expect(texts.filter((text) => text.includes('#consumed'))).toHaveLength(1)
  })

  it('run the usage that the README shows', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
    const [, code = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
    const root = await tempWorkspace({ 'README.md': '# Title\n' })

    expect(built.run(code.replace('process.cwd()', JSON.stringify(root)))).toBe('   1\t# Title\n')
  })
})
