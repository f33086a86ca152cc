/** Runs the children of the crash tests. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'vite'

/** Where a child ends itself: before or after its append of this number. */
export interface Kill {
  readonly append: number
  readonly when: 'before' | 'after'
}

/** What a child tells that ended by itself. */
export interface ChildRun {
  /** How many appends it asked for. */
  readonly appends: number
  /** Those before which a call had its effect, since the append before. */
  readonly afterEffects: readonly number[]
}

/** How a child ended: by which signal or with which code, and what it said. */
export interface ChildEnd {
  readonly ended: string | number
  readonly said: string
}

/** Bundles a child's script, named from here, into a folder, since Node 20 runs no TypeScript. */
export async function bundleChild(name: string, folder: string): Promise<string> {
  const ofStore = createRequire(new URL('../../../store/src/sqlite.ts', import.meta.url))
  const libsql = pathToFileURL(ofStore.resolve('libsql')).href
  const conditions = ['looprig-source']
  const entryFileNames = `${basename(name)}.mjs`
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions },
    ssr: { resolve: { conditions }, noExternal: true },
    build: {
      ssr: fileURLToPath(new URL(`${name}.ts`, import.meta.url)),
      target: 'node20',
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: { external: ['libsql'], output: { entryFileNames, paths: { libsql } } },
    },
  })
  return join(folder, entryFileNames)
}

/** Runs one child to its end, for a minute at most. */
export async function runChild(script: string, ...args: readonly string[]): Promise<ChildEnd> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'], timeout: 60_000 })
  const [[code, signal], said] = await Promise.all([once(child, 'exit'), text(child.stdout)])
  return { ended: signal ?? code, said }
}

/** Runs the rich session in a folder, or goes on with the one there, up to a kill; without one to its end. */
export function runCrashChild(script: string, folder: string, kill?: Kill): Promise<ChildEnd> {
  return runChild(script, folder, `${kill?.append ?? 0}`, kill?.when ?? 'after')
}
