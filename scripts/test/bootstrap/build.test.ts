import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { staleBuilds } from '../../bootstrap/build.mjs'
import { tempTree } from '../temp-tree.ts'

function builtClone(): string {
  const door = '{ ".": { "default": "./dist/index.js" } }'
  const manifest = (name: string) => `{ "name": "${name}", "scripts": { "build": "tsup" }, "exports": ${door} }`
  const clone = tempTree({
    'tsup.base.ts': '',
    'packages/a/package.json': manifest('a'),
    'packages/a/src/index.ts': 'a',
    'packages/a/dist/index.js': '',
    'packages/b/package.json': manifest('b'),
    'packages/b/src/deep/part.ts': 'b',
    'packages/b/dist/index.js': '',
  })
  mkdirSync(join(clone, '.looprig'))
  const stamps = Object.fromEntries(staleBuilds(clone).map(({ folder, hash }) => [folder, hash]))
  writeFileSync(join(clone, '.looprig/build-stamp'), JSON.stringify(stamps))
  return clone
}

function staleFolders(clone: string): string[] {
  return staleBuilds(clone).map(({ folder }) => folder)
}

describe('staleBuilds', () => {
  it('finds nothing after a whole build', () => {
    expect(staleFolders(builtClone())).toEqual([])
  })

  it.each(['packages/b/src/deep/part.ts', 'packages/b/package.json', 'packages/b/tsup.config.ts'])(
    'finds only the package of a changed %s',
    (path) => {
      const clone = builtClone()

      writeFileSync(join(clone, path), '{ "scripts": { "build": "tsup" } }')

      expect(staleFolders(clone)).toEqual(['packages/b'])
    },
  )

  it('finds a package with a new, a renamed or a removed source', () => {
    const clone = builtClone()

    writeFileSync(join(clone, 'packages/a/src/new.ts'), '')
    rmSync(join(clone, 'packages/b/src/deep/part.ts'))

    expect(staleFolders(clone)).toEqual(['packages/a', 'packages/b'])
  })

  it('finds all packages after a change of the shared settings', () => {
    const clone = builtClone()

    writeFileSync(join(clone, 'tsup.base.ts'), 'changed')

    expect(staleFolders(clone)).toEqual(['packages/a', 'packages/b'])
  })

  it('finds a package whose built door is gone', () => {
    const clone = builtClone()

    rmSync(join(clone, 'packages/a/dist/index.js'))

    expect(staleFolders(clone)).toEqual(['packages/a'])
  })

  it('takes a damaged stamp for none', () => {
    const clone = builtClone()

    writeFileSync(join(clone, '.looprig/build-stamp'), '{"packages/a": "1')

    expect(staleFolders(clone)).toEqual(['packages/a', 'packages/b'])
  })
})
