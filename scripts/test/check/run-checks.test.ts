import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { root } from '../../bootstrap/set-up.mjs'
import { tempTree } from '../temp-tree.ts'

function runChecks(clone: string, args: readonly string[]) {
  const module = JSON.stringify(pathToFileURL(join(root, 'scripts/check/run-checks.mjs')).href)
  const script = `import { runChecks } from ${module}; process.exitCode = await runChecks(process.cwd(), process.argv.slice(1))`
  return spawnSync(process.execPath, ['--input-type=module', '-e', script, '--', ...args], {
    cwd: clone,
    encoding: 'utf8',
  })
}

const only = ['--only', 'boundaries', '--only', 'evidence']

describe('runChecks', () => {
  it('gives each check a line and ends with 0 when all pass', () => {
    const run = runChecks(tempTree(), only)

    expect(run.status).toBe(0)
    expect(run.stdout).toMatch(/^ok {3}boundaries .*\nok {3}evidence .*\n2 of 2 checks passed\n$/)
  })

  it('goes on after a failure, shows it, and ends with 1', () => {
    const clone = tempTree({ 'packages/a/package.json': '{ "name": "a" }', 'packages/a/src/utils.ts': '' })

    const run = runChecks(clone, [...only, '--report', 'deep/report.json'])

    expect(run.status).toBe(1)
    expect(run.stdout).toMatch(
      /FAIL boundaries .*\n {5}packages\/a\/src\/utils\.ts: name the concept instead\nok {3}evidence/,
    )
    expect(JSON.parse(readFileSync(join(clone, 'deep/report.json'), 'utf8'))).toEqual({ passed: 1, failed: 1 })
  })

  it('counts a check that cannot run as failed', () => {
    const clone = tempTree({ 'docs/evidence.json': 'not JSON' })

    const run = runChecks(clone, ['--only', 'evidence'])

    expect(run).toMatchObject({ status: 1, stdout: expect.stringContaining('SyntaxError') })
  })

  it.each([[['--only', 'nothing']], [['--unknown']]])('refuses %j without running anything', (args) => {
    const clone = tempTree()

    const run = runChecks(clone, args)

    expect(run).toMatchObject({ status: 2, stdout: '' })
    expect(run.stderr).toContain('names: types format lint')
    expect(existsSync(join(clone, '.looprig'))).toBe(false)
  })
})
