import { spawn } from 'node:child_process'
import { cpSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../bootstrap/set-up.mjs'
import { type Finished, finish, tempClone } from '../temp-clone.ts'
import { tempTree } from '../temp-tree.ts'

/** Runs the command of a fresh clone to its end. */
function run(clone: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> {
  const path = [join(clone, 'bin'), process.env.PATH].join(delimiter)
  const child = spawn(process.execPath, [join(clone, 'scripts/explain.cjs'), ...args], {
    cwd: clone,
    env: { ...process.env, ...env, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return finish(child)
}

/** A clone whose built door is a stand-in that allows everything. */
function freshClone(): string {
  const clone = tempClone()
  for (const part of ['explain.cjs', 'explain', 'wire']) {
    cpSync(join(root, 'scripts', part), join(clone, 'scripts', part), { recursive: true })
  }
  const permission = `export const decideCommand = () => ({ decision: 'allow', why: 'x' })
export const readDocument = () => []
export const writeDocument = () => ''
export const toRule = (rule) => rule`
  cpSync(tempTree({ 'permission.js': permission }), join(clone, 'packages/tools/dist'), { recursive: true })
  return clone
}

describe('npm run explain', () => {
  it('ends with 2 and says how it is used when it was called wrongly', async () => {
    const { code, stdout, stderr } = await run(freshClone(), ['--', '--rules', 'none.json', 'ls'])

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('looprig: none.json: cannot be read (ENOENT)')
    expect(stderr).toContain('Usage: pnpm --silent explain')
  })

  it('says how it is used', async () => {
    const { code, stdout } = await run(freshClone(), ['--help'])

    expect(code).toBe(0)
    expect(stdout).toMatch(/^Usage: pnpm --silent explain -- --rules/)
  })

  it('starts from the folder in which npm or pnpm was called', async () => {
    const elsewhere = tempTree({ 'rules.json': '{"allow":[],"deny":[]}' })

    const { code, stdout } = await run(freshClone(), ['--rules', 'rules.json', 'ls'], {
      npm_lifecycle_event: 'explain',
      INIT_CWD: elsewhere,
    })

    expect({ code, line: JSON.parse(stdout) }).toEqual({ code: 0, line: { line: 'ls', decision: 'allow', why: 'x' } })
  })
})
