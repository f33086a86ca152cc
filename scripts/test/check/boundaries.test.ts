import { describe, expect, it } from 'vitest'
import { checkBoundaries } from '../../check/boundaries.mjs'
import { tempTree } from '../temp-tree.ts'

type Files = Readonly<Record<string, string>>

const anything = 'any'

function manifest(name: string, doors: readonly string[], dependencies: readonly string[] = []): string {
  const exports = doors.map((door) => [
    door === 'index' ? '.' : `./${door}`,
    { 'looprig-source': `./src/${door}.ts`, types: `./dist/${door}.d.ts`, default: `./dist/${door}.js` },
  ])
  const declared = Object.fromEntries(dependencies.map((each) => [each, '1']))
  return JSON.stringify({ name, exports: Object.fromEntries(exports), dependencies: declared })
}

const clean: Files = {
  'packages/core/package.json': manifest('@looprig/core', ['index', 'testing'], ['zod']),
  'packages/core/src/index.ts':
    "export { parse } from './json/parse.ts'\nexport type { Value } from './json/value.ts'\n",
  'packages/core/src/testing.ts': "export { sample } from './json/sample.ts'\n",
  'packages/core/src/json/parse.ts':
    "import { z } from 'zod'\nimport type { Value } from './value.ts'\nexport const parse = (): Value => z\n",
  'packages/core/src/json/value.ts': 'export type Value = unknown\n',
  'packages/core/src/json/sample.ts': 'export const sample = 1\n',
  'packages/tools/package.json': manifest('@looprig/tools', ['index', 'web'], ['undici', '@looprig/core']),
  'packages/tools/src/index.ts': "export { tool } from './contract/tool.ts'\n",
  'packages/tools/src/web.ts': "export { fetchPage } from './web/fetch-page.ts'\n",
  'packages/tools/src/contract/tool.ts':
    "import { createHash } from 'node:crypto'\nimport { parse } from '@looprig/core'\nexport const tool = [createHash, parse]\n",
  'packages/tools/src/web/fetch-page.ts': "import { fetch } from 'undici'\nexport const fetchPage = () => fetch('')\n",
  'packages/store/package.json': manifest('@looprig/store', ['index']),
  'packages/store/src/index.ts': "export type { Ledger } from './contract/ledger.ts'\n",
  'packages/store/src/contract/ledger.ts': 'export type Ledger = unknown\n',
  'packages/inference/package.json': manifest('@looprig/inference', ['index'], ['@looprig/core']),
  'packages/inference/src/index.ts': "export { client } from './client.ts'\n",
  'packages/inference/src/client.ts': 'export const client = 1\n',
  'packages/harness/package.json': manifest('@looprig/harness', ['index']),
  'packages/harness/src/index.ts': "export { loop } from './loop.ts'\n",
  'packages/harness/src/loop.ts':
    "import { tool } from '@looprig/tools'\nimport type { Ledger } from '@looprig/store'\nexport const loop = (): Ledger => tool\n",
  'examples/assistant/package.json': manifest('assistant', []),
  'examples/assistant/src/main.ts':
    "import { fetchPage } from '@looprig/tools/web'\nconsole.log(fetchPage, process.env.HOME)\n",
}

function problemsOf(changes: Files): string[] {
  return checkBoundaries(tempTree({ ...clean, ...changes }))
}

describe('checkBoundaries', () => {
  it('accepts a clean tree', () => {
    expect(problemsOf({})).toEqual([])
  })

  it('finds a cycle of type-only imports', () => {
    const value = "import type { parse } from './parse.ts'\nexport type Value = typeof parse\n"

    expect(problemsOf({ 'packages/core/src/json/value.ts': value })).toEqual([
      expect.stringMatching(/import cycle: .*parse\.ts -> .*value\.ts -> .*parse\.ts/),
    ])
  })

  it('finds a cycle through an import in a type position', () => {
    const value = "export type Value = import('./parse.ts').Parsed\n"

    expect(problemsOf({ 'packages/core/src/json/value.ts': value })).toEqual([expect.stringContaining('import cycle')])
  })

  it.each([
    ['inference', 'tools'],
    ['tools', 'inference'],
    ['core', 'store'],
  ])('keeps %s from importing %s, types included', (from, to) => {
    const source = `import type { X } from '@looprig/${to}'\nexport type Own = X\n`

    expect(problemsOf({ [`packages/${from}/src/own/own.ts`]: source })).toContain(
      `packages/${from}/src/own/own.ts:1: @looprig/${from} may not import @looprig/${to}`,
    )
  })

  it('keeps the harness to root doors', () => {
    const source = "import { fetchPage } from '@looprig/tools/web'\nexport const loop = fetchPage\n"

    expect(problemsOf({ 'packages/harness/src/loop.ts': source })).toEqual([
      'packages/harness/src/loop.ts:1: packages import only the root door of another package, not @looprig/tools/web',
    ])
  })

  it.each(['@looprig/core/json', '@looprig/core/src/json/parse.ts'])(
    'refuses %s, which is no published door',
    (specifier) => {
      const source = `export const load = () => import('${specifier}')\n`

      expect(problemsOf({ 'examples/assistant/src/load.ts': source })).toEqual([
        `examples/assistant/src/load.ts:1: ${specifier} is no published door of @looprig/core`,
      ])
    },
  )

  it('refuses a relative path into another package, a missing file and a missing extension', () => {
    const source = "import '../../../core/src/index.ts'\nimport './gone.ts'\nimport './contract/tool'\n"

    expect(problemsOf({ 'packages/tools/src/reach.ts': source })).toEqual([
      expect.stringContaining(":1: ../../../core/src/index.ts leaves the package's src folder"),
      expect.stringContaining(':2: ./gone.ts is no source file'),
      expect.stringContaining(':3: ./contract/tool is no source file'),
    ])
  })

  it('follows a worker by its URL and lets a package read its own manifest', () => {
    const source =
      "export const client = new URL('./worker.js', import.meta.url)\nexport const about = new URL('../package.json', import.meta.url)\n"

    expect(problemsOf({ 'packages/inference/src/client.ts': source })).toEqual([
      'packages/inference/src/client.ts:1: ./worker.js is no source file; name it with its extension',
    ])
    expect(problemsOf({ 'packages/inference/src/client.ts': source, 'packages/inference/src/worker.js': '' })).toEqual(
      [],
    )
  })

  it('keeps the root door of tools to core and zod, however deep', () => {
    const source = "import { fetchPage } from '../web/fetch-page.ts'\nexport const tool = fetchPage\n"

    expect(problemsOf({ 'packages/tools/src/contract/tool.ts': source })).toEqual([
      'packages/tools/src/web/fetch-page.ts:1: the root door of @looprig/tools reaches undici; it may reach only @looprig/core and zod',
    ])
  })

  it('refuses a package that package.json does not declare', () => {
    const source = "import got from 'got/dist'\nexport const client = got\n"

    expect(problemsOf({ 'packages/inference/src/client.ts': source })).toEqual([
      'packages/inference/src/client.ts:1: got is not declared in package.json',
    ])
  })

  it.each([
    'export const home = process.env.HOME',
    "export const home = globalThis.process['env'].HOME",
    'const { env } = process\nexport const home = env.HOME',
    "import { env } from 'node:process'\nexport const home = env.HOME",
  ])('refuses to read the environment in a package: %s', (source) => {
    expect(problemsOf({ 'packages/inference/src/client.ts': `${source}\nexport const client = 1\n` })).toEqual([
      expect.stringContaining('only examples and scripts read the environment'),
    ])
  })

  it('finds loose types but not the word in a text or comment', () => {
    const source = `// as ${anything}\nexport const client: ${anything} = 'as ${anything}'\nexport const first = [client][0]!\n`

    expect(problemsOf({ 'packages/inference/src/client.ts': source })).toEqual([
      `packages/inference/src/client.ts:2: the type ${anything}`,
      'packages/inference/src/client.ts:3: a non-null assertion',
    ])
  })

  it.each(['utils.ts', 'helpers/read.ts', 'json/types.ts', 'common.ts'])('refuses the vague name %s', (name) => {
    expect(problemsOf({ [`packages/core/src/${name}`]: '' })).toEqual([
      `packages/core/src/${name}: name the concept instead`,
    ])
  })

  it('refuses a source over 400 lines', () => {
    expect(problemsOf({ 'packages/core/src/json/long.ts': '\n'.repeat(401) })).toEqual([
      expect.stringContaining('401 lines'),
    ])
  })

  it.each([
    "export * from './json/value.ts'\n",
    'export const value = 1\n',
    "export { z } from 'zod'\n",
    "import './json/value.ts'\n",
    "export { default as value } from './json/value.ts'\n",
  ])('refuses anything but named re-exports in a door: %s', (source) => {
    expect(problemsOf({ 'packages/core/src/testing.ts': source })).toEqual([
      'packages/core/src/testing.ts:1: a door holds only named re-exports of its own files',
    ])
  })

  it('refuses a barrel below the doors', () => {
    const source = "import { parse } from './parse.ts'\nexport { parse }\n"

    expect(problemsOf({ 'packages/core/src/json/all.ts': source })).toEqual([
      'packages/core/src/json/all.ts:2: only a door re-exports what another file owns',
    ])
  })

  it('finds a door without its source and one with a wrong path', () => {
    const doors = manifest('@looprig/core', ['index', 'testing', 'gone'], ['zod'])

    expect(problemsOf({ 'packages/core/package.json': doors.replace('./dist/testing.js', './dist/test.js') })).toEqual([
      'packages/core/package.json: @looprig/core/testing: default is not ./dist/testing.js',
      'packages/core/src/gone.ts: the source of the door @looprig/core/gone is missing',
    ])
  })
})
