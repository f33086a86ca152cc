import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import { describe, expect, it } from 'vitest'
import { root } from '../../bootstrap/set-up.mjs'

const gate = join(root, 'scripts/bootstrap/require-node.cjs')

function runAs(version: string) {
  const script = `Object.defineProperty(process, 'version', { value: '${version}' }); require(${JSON.stringify(gate)})`
  return spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })
}

describe('require-node', () => {
  it('names the version that is needed and the one that was found', () => {
    const run = runAs('v18.20.4')

    expect(run).toMatchObject({ status: 1, stdout: '' })
    expect(run.stderr).toContain('Looprig needs Node.js 20.19 or later; this is v18.20.4')
  })

  it('refuses the last version below the floor and accepts the floor', () => {
    expect(runAs('v20.18.9').status).toBe(1)
    expect(runAs('v20.19.0')).toMatchObject({ status: 0, stderr: '' })
    expect(runAs('v22.0.0')).toMatchObject({ status: 0, stderr: '' })
  })

  it('comes before anything else in each entry file', () => {
    const entries = ['start', 'test', 'check'].map((name) => readFileSync(join(root, 'scripts', `${name}.cjs`), 'utf8'))

    const statements = entries.map((text) => parseSync('entry.cjs', text, { sourceType: 'script' }).program.body)

    for (const body of statements) {
      expect(body).toHaveLength(3)
      expect(JSON.stringify(body[1])).toContain('./bootstrap/require-node.cjs')
    }
  })

  it('is written without syntax that an old Node.js cannot parse', () => {
    const texts = ['start.cjs', 'test.cjs', 'check.cjs', 'bootstrap/require-node.cjs'].map((path) =>
      readFileSync(join(root, 'scripts', path), 'utf8').replace(/\/\/.*/g, ''),
    )

    for (const text of texts)
      expect(text).not.toMatch(/=>|`|\b(const|let|import|class|async)\b|\.\.\.|\?\.|\?\?|,\s*\)/)
  })

  it('lets this Node.js through', () => {
    expect(execFileSync(process.execPath, [gate], { encoding: 'utf8' })).toBe('')
  })
})
