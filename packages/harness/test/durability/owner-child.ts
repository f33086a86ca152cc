/** Starts owner processes; see `owner-child-main.ts`. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { SessionId } from '@looprig/core'
import { build } from 'vite'
import { afterAll } from 'vitest'
import type { EventType } from '../../src/index.ts'
import type { Command, OwnerPlan, Told } from './owner-plan.ts'

/** Bundles the script of an owner into a folder, since Node 20 runs no TypeScript. */
export async function bundleOwner(folder: string): Promise<string> {
  const ofStore = createRequire(new URL('../../../store/src/sqlite.ts', import.meta.url))
  const libsql = pathToFileURL(ofStore.resolve('libsql')).href
  const conditions = ['looprig-source']
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions },
    ssr: { resolve: { conditions }, noExternal: true },
    build: {
      ssr: fileURLToPath(new URL('owner-child-main.ts', import.meta.url)),
      target: 'node20',
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: { external: ['libsql'], output: { entryFileNames: 'owner.mjs', paths: { libsql } } },
    },
  })
  return join(folder, 'owner.mjs')
}

/** One owner process. */
export class OwnerChild {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>
  readonly #exit: Promise<string | number>
  readonly #lines: AsyncIterator<string>

  constructor(process: ChildProcessByStdio<Writable, Readable, null>) {
    this.#process = process
    this.#exit = once(process, 'exit').then(([code, signal]) => signal ?? code)
    this.#lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]()
    // a process that kills itself does not read what it is told
    process.stdin.on('error', () => undefined)
  }

  say(command: Command): void {
    this.#process.stdin.write(`${JSON.stringify(command)}\n`)
  }

  /** Passes over what it tells up to the first line that is asked for. */
  async until<T>(wanted: (told: Told) => T | undefined): Promise<T> {
    for (;;) {
      const { done, value } = await this.#lines.next()
      if (done === true) throw new Error('the owner ended before it told what was asked for')
      const found = wanted(JSON.parse(value))
      if (found !== undefined) return found
    }
  }

  /** Everything that it tells from now on until that is all that is asked for. */
  async collect(isAll: (told: readonly Told[]) => boolean): Promise<readonly Told[]> {
    const told: Told[] = []
    while (!isAll(told)) told.push(await this.until((line) => line))
    return told
  }

  /** Passes over what it tells up to event number `count` of a type. */
  async untilEvent(type: EventType, count = 1): Promise<NonNullable<Told['event']>> {
    let seen = 0
    return this.until(({ event }) => {
      if (event?.type !== type) return undefined
      seen += 1
      return seen === count ? event : undefined
    })
  }

  /** Has it make a session. */
  async newSession(): Promise<SessionId> {
    this.say({ do: 'new' })
    return this.until(({ session }) => session)
  }

  /** Tells it nothing more: it ends when nothing is left to do. */
  end(): void {
    this.#process.stdin.end()
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal)
  }

  /** How it ended. */
  exited(): Promise<string | number> {
    return this.#exit
  }
}

const started: ChildProcess[] = []

afterAll(() => {
  for (const child of started) child.kill('SIGKILL')
})

/**
 * Starts one; it is killed after the tests of the file.
 *
 * @param command - what runs it, such as a tracer before `node`.
 */
export function startOwner(
  script: string,
  folder: string,
  plan: OwnerPlan,
  command: readonly string[] = [],
): OwnerChild {
  const [program = '', ...args] = [...command, process.execPath, script, folder, JSON.stringify(plan)]
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  started.push(child)
  return new OwnerChild(child)
}
