/** Starts processes that work on a permission file. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

/** Bundles the script into a folder, since Node 20 runs no TypeScript. */
export async function bundleChild(folder: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['looprig-source'] },
    ssr: { noExternal: true, resolve: { conditions: ['looprig-source'] } },
    build: {
      ssr: fileURLToPath(new URL('store-child-main.ts', import.meta.url)),
      target: 'node20',
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: { output: { entryFileNames: 'child.mjs' } },
    },
  })
  return join(folder, 'child.mjs')
}

/** How a process ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stderr: string
}

/** Runs the script to its end. */
export function runChild(script: string, args: readonly string[], limit?: string): Promise<Ended> {
  const node = [process.execPath, script, ...args]
  const [program = '', ...rest] = limit === undefined ? node : ['/bin/sh', '-c', `${limit}; exec "$@"`, 'sh', ...node]
  const child: ChildProcess = spawn(program, rest, { stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, stderr }))
  })
}
