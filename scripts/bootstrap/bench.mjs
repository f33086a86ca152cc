/** Measures speed beside peers. `bench/` has a lockfile of its own, so that nothing else installs the peers. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { installEnvironment, installStamp } from './install.mjs'
import { endedBySignals } from './interrupt.mjs'
import { runChild } from './run-child.mjs'
import { root, setUp } from './set-up.mjs'
import { InterruptedError } from './set-up-error.mjs'
import { hashFiles, readStamp, writeStamp } from './stamp.mjs'

const installArgs = [
  '--prefix=.looprig',
  '-y',
  'pnpm@10.34.9',
  'install',
  '--ignore-workspace',
  '--frozen-lockfile',
  '--dir=bench',
  '--loglevel=info',
  '--reporter=append-only',
  '--config.confirm-modules-purge=false',
]

await setUp()
await installPeers()
const program = join(root, 'bench', 'src', 'run.mjs')
process.argv.splice(1, 1, program)
await import(pathToFileURL(program).href)

/** Installs what is stale. A peer that is missing afterwards is no reason to stop: the report says so. */
async function installPeers() {
  const stampPath = join(root, '.looprig', 'bench-stamp')
  const stamp = hashFiles(root, ['bench/package.json', 'bench/pnpm-lock.yaml'], installStamp(root))
  if (readStamp(stampPath) === stamp && existsSync(join(root, 'bench', 'node_modules'))) return
  writeStamp(stampPath, '')
  process.stderr.write('looprig: installing the peers of the bench (once) ...\n')
  const env = installEnvironment(process.env, root)
  try {
    const { code } = await endedBySignals((signal) => runChild(...npxCall(), { cwd: root, env, signal }))
    if (code === 0) writeStamp(stampPath, stamp)
    else process.stderr.write('looprig: the peers could not be installed; the reason is printed above.\n')
  } catch (error) {
    if (error instanceof InterruptedError) return process.exit(130)
    throw error
  }
}

/**
 * On Windows npx is a command file, which only a shell can start.
 *
 * @returns {[file: string, args: string[]]}
 */
function npxCall() {
  if (process.platform !== 'win32') return ['npx', installArgs]
  return ['cmd.exe', ['/d', '/s', '/c', ['npx', ...installArgs].join(' ')]]
}
