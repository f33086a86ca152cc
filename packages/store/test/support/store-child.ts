/** Starts processes that work on a store. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { build } from 'vite'

/** What one process does; see `store-child-main.ts`. */
export type ChildRole = 'hold' | 'ask' | 'look' | 'append' | 'serve' | 'race' | 'watch'

/** One process. */
export interface StoreChild {
  readonly process: ChildProcess
  /** The next line of its output; `undefined` at the end. */
  next(): Promise<Readonly<Record<string, unknown>> | undefined>
  kill(signal: NodeJS.Signals): void
  exited(): Promise<void>
}

/** Bundles the script into a folder, since Node 20 runs no TypeScript. */
export async function bundleChild(folder: string): Promise<string> {
  const libsql = pathToFileURL(createRequire(import.meta.url).resolve('libsql')).href
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: fileURLToPath(new URL('store-child-main.ts', import.meta.url)),
      target: 'node20',
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: { external: ['libsql'], output: { entryFileNames: 'child.mjs', paths: { libsql } } },
    },
  })
  return join(folder, 'child.mjs')
}

/** @param command - what runs the script, such as a tracer before `node`. */
export function startChild(
  script: string,
  role: ChildRole,
  path: string,
  session: string,
  command: readonly string[] = [],
): StoreChild {
  const [program = '', ...args] = [...command, process.execPath, script, role, path, session]
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const exit = once(child, 'exit')
  return {
    process: child,
    async next() {
      const { done, value } = await lines.next()
      return done === true ? undefined : JSON.parse(value)
    },
    kill: (signal) => void child.kill(signal),
    async exited() {
      await exit
    },
  }
}
