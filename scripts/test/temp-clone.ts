/** A small clone of the project: its real scripts and build tools, one assistant, and a stand-in for npx. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { root } from '../bootstrap/set-up.mjs'
import { tempTree } from './temp-tree.ts'

/** A command that ran to its end. */
export interface Finished {
  readonly stdout: string
  readonly stderr: string
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

const program = `
const [first, second] = process.argv.slice(2)
if (first === '--exit') process.exitCode = Number(second)
if (first === '--wait') {
  process.on('SIGINT', () => process.exit(42))
  setInterval(() => undefined, 1000)
}
console.log(JSON.stringify(process.argv.slice(2)))
`

/**
 * Makes a clone in which nothing is installed or built. It counts its installs in `calls`.
 *
 * @param npx - what the stand-in for npx does besides noting its arguments, as shell commands.
 */
export function tempClone(npx = ''): string {
  const clone = tempTree({
    'package.json': '{ "name": "clone", "private": true, "type": "module" }',
    'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
    'pnpm-workspace.yaml': 'packages:\n  - examples/*\n',
    'bin/npx': `#!/bin/sh\necho "$@" >> calls\n${npx}\n`,
    'examples/assistant/package.json': '{ "name": "assistant", "type": "module", "scripts": { "build": "tsup" } }',
    'examples/assistant/src/main.ts': program,
  })
  copyFileSync(join(root, 'tsup.base.ts'), join(clone, 'tsup.base.ts'))
  copyFileSync(join(root, 'examples/assistant/tsup.config.ts'), join(clone, 'examples/assistant/tsup.config.ts'))
  for (const part of ['start.cjs', 'test.cjs', 'bootstrap']) {
    cpSync(join(root, 'scripts', part), join(clone, 'scripts', part), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'), 'junction')
  chmodSync(join(clone, 'bin/npx'), 0o755)
  return clone
}

/** Starts `scripts/start.cjs` of a clone; the test's end kills what is left of it. */
export function spawnStart(clone: string, args: readonly string[] = []): ChildProcess {
  const path = [join(clone, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter)
  const child = spawn(process.execPath, [join(clone, 'scripts/start.cjs'), ...args], {
    cwd: clone,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Waits for a child and collects what it prints. */
export function finish(child: ChildProcess): Promise<Finished> {
  const output = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ ...output, code, signal }))
  })
}

/** Runs `scripts/start.cjs` of a clone to its end. */
export function runStart(clone: string, args: readonly string[] = []): Promise<Finished> {
  return finish(spawnStart(clone, args))
}

/** The arguments of each call of npx so far. */
export function npxCalls(clone: string): string[] {
  const path = join(clone, 'calls')
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []
}
