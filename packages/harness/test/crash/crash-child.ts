/** Runs the child of the crash tests. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'vite'

/** Where a child ends itself: before or after its append of this number. */
export interface Kill {
  readonly append: number
  readonly when: 'before' | 'after'
}

/** Bundles the child's script into a folder, since Node 20 runs no TypeScript. */
export async function bundleCrashChild(folder: string): Promise<string> {
  const ofStore = createRequire(new URL('../../../store/src/sqlite.ts', import.meta.url))
  const libsql = pathToFileURL(ofStore.resolve('libsql')).href
  const conditions = ['looprig-source']
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions },
    ssr: { resolve: { conditions }, noExternal: true },
    build: {
      ssr: fileURLToPath(new URL('crash-child-main.ts', import.meta.url)),
      target: 'node20',
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: { external: ['libsql'], output: { entryFileNames: 'child.mjs', paths: { libsql } } },
    },
  })
  return join(folder, 'child.mjs')
}

/** Runs one child to its end, for a minute at most; tells how it ended. */
export async function runCrashChild(script: string, folder: string, kill: Kill): Promise<string | number> {
  const child = spawn(process.execPath, [script, folder, `${kill.append}`, kill.when], {
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: 60_000,
  })
  const [code, signal] = await once(child, 'exit')
  return signal ?? code
}
