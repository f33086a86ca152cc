import { describe, expect, it } from 'vitest'
import { findTarballs, inBuildOrder } from '../../pack/pack-packages.mjs'
import { tempTree } from '../temp-tree.ts'

const core = { folder: 'packages/core', manifest: { name: '@looprig/core' } }
const tools = {
  folder: 'packages/tools',
  manifest: { name: '@looprig/tools', dependencies: { '@looprig/core': 'workspace:^' } },
}
const own = { folder: 'examples/own', manifest: { name: 'own', peerDependencies: { '@looprig/tools': '<1' } } }

describe('inBuildOrder', () => {
  it('puts what a package needs before it, each once', () => {
    expect(inBuildOrder([own, tools, core])).toEqual([core, tools, own])
    expect(inBuildOrder([core, tools, own])).toEqual([core, tools, own])
  })
})

describe('findTarballs', () => {
  it('finds each by the name that pnpm gives it, and none of a package with a longer name', () => {
    const folder = tempTree({
      'looprig-core-0.1.0.tgz': '',
      'looprig-core-extra-0.1.0.tgz': '',
      'own-1.0.0-beta.tgz': '',
    })

    const tarballs = findTarballs([core, tools, own], folder)

    expect(Object.keys(tarballs)).toEqual(['@looprig/core', 'own'])
    expect(tarballs['@looprig/core']).toMatch(/looprig-core-0\.1\.0\.tgz$/)
  })
})
