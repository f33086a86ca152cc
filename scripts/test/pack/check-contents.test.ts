import { describe, expect, it } from 'vitest'
import { checkContents } from '../../pack/check-contents.mjs'
import { tempTree } from '../temp-tree.ts'

const published = {
  name: 'p',
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
  dependencies: { '@looprig/core': '^0.0.0' },
}
const whole = {
  'package.json': JSON.stringify(published),
  'README.md': '# p\n',
  LICENSE: 'Apache-2.0\n',
  'dist/index.js': '',
  'dist/index.d.ts': '',
}

describe('checkContents', () => {
  it('takes a package that holds its doors, their declarations and its README', () => {
    expect(checkContents(tempTree(whole))).toEqual([])
  })

  it('names what a door promises and the package does not hold', () => {
    const { 'dist/index.d.ts': _, ...rest } = whole

    expect(checkContents(tempTree(rest))).toEqual(['p: ./dist/index.d.ts is named by a door and not there'])
  })

  it('names what belongs to the workspace only', () => {
    const manifest = { ...published, dependencies: { '@looprig/core': 'workspace:^' } }
    const leaking = { ...whole, 'package.json': JSON.stringify(manifest), 'src/index.ts': '', 'tsup.config.ts': '' }

    expect(checkContents(tempTree(leaking))).toEqual([
      'p: its package.json still says workspace:',
      'p: src should not be packed',
      'p: tsup.config.ts should not be packed',
    ])
  })

  it('asks for a README', () => {
    const { 'README.md': _, ...rest } = whole

    expect(checkContents(tempTree(rest))).toEqual(['p: has no README.md'])
  })
})
