import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { tempFolder } from '../temp-folder.ts'

/** The built assistant. */
export const builtProgram = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** How a process ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A program in a process of its own, in a home of its own. */
export class ProgramProcess {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ended>
  #stdout = ''
  #stderr = ''
  #checks = new Set<() => void>()

  constructor(command: string, args: readonly string[], options: { readonly cwd: string; readonly env: object }) {
    this.child = spawn(command, args, { cwd: options.cwd, env: { ...options.env } })
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => this.#take(() => (this.#stdout += text)))
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => this.#take(() => (this.#stderr += text)))
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code, signal) => resolve({ code, signal, stdout: this.#stdout, stderr: this.#stderr }))
    })
    onTestFinished(() => void this.child.kill('SIGKILL'))
  }

  /** Resolves when an output matches; rejects when the process ends before. */
  async seen(output: 'stdout' | 'stderr', pattern: RegExp): Promise<void> {
    const text = () => (output === 'stdout' ? this.#stdout : this.#stderr)
    const found = new Promise<void>((resolve) => {
      const check = () => pattern.test(text()) && resolve()
      this.#checks.add(check)
      check()
    })
    const early = this.ended.then(() => {
      if (!pattern.test(text())) throw new Error(`ended without ${pattern}: ${this.#stdout}${this.#stderr}`)
    })
    await Promise.race([found, early])
  }

  #take(add: () => void): void {
    add()
    for (const check of this.#checks) check()
  }
}

/** A place with a workspace, and a way to run the program there. */
export function arrangePlace(program = builtProgram) {
  const home = tempFolder()
  const workspace = join(home, 'ws')
  mkdirSync(workspace)
  writeFileSync(join(workspace, 'a.ts'), 'export const answer = 42\n')
  const env = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: join(home, 'data'), INIT_CWD: home }
  const options = { cwd: workspace, env }
  const start = (args: readonly string[], more: object = {}) =>
    new ProgramProcess(process.execPath, [program, ...args], { ...options, env: { ...env, ...more } })
  const startShell = (line: string) => new ProgramProcess('/bin/sh', ['-c', line], options)
  /** Writes a script and gives the arguments that use it. */
  const scripted = (...responses: readonly object[]): string[] => {
    writeFileSync(join(home, 'script.json'), JSON.stringify(responses))
    return ['--workspace', 'ws', '--script', 'script.json']
  }
  return { home, workspace, dataFolder: join(home, 'data', 'looprig'), start, startShell, scripted }
}
