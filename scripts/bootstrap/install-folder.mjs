/** Installs a folder that is no part of the workspace: it has a lockfile of its own, so that nobody else pays for it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { installEnvironment, installStamp } from './install.mjs'
import { endedBySignals } from './interrupt.mjs'
import { runChild } from './run-child.mjs'
import { root } from './set-up.mjs'
import { InterruptedError } from './set-up-error.mjs'
import { hashFiles, readStamp, writeStamp } from './stamp.mjs'

/**
 * Installs what is stale. Ends the process with code 130 when a signal stops it.
 *
 * @param {string} folder its name, below the root.
 * @param {string} what for people.
 * @returns {Promise<boolean>} whether everything is there; what pnpm said is on stderr by then.
 */
export async function installFolder(folder, what) {
  const stampPath = join(root, '.looprig', `${folder}-stamp`)
  const stamp = hashFiles(root, [`${folder}/package.json`, `${folder}/pnpm-lock.yaml`], installStamp(root))
  if (readStamp(stampPath) === stamp && existsSync(join(root, folder, 'node_modules'))) return true
  writeStamp(stampPath, '')
  process.stderr.write(`looprig: installing ${what} (once) ...\n`)
  const env = installEnvironment(process.env, root)
  try {
    const { code } = await endedBySignals((signal) => runChild(...npxCall(folder), { cwd: root, env, signal }))
    if (code === 0) writeStamp(stampPath, stamp)
    else process.stderr.write(`looprig: ${what} could not be installed; the reason is printed above.\n`)
    return code === 0
  } catch (error) {
    if (error instanceof InterruptedError) return process.exit(130)
    throw error
  }
}

/**
 * On Windows npx is a command file, which only a shell can start.
 *
 * @param {string} folder
 * @returns {[file: string, args: string[]]}
 */
function npxCall(folder) {
  const args = [
    '--prefix=.looprig',
    '-y',
    'pnpm@10.34.9',
    'install',
    '--ignore-workspace',
    '--frozen-lockfile',
    `--dir=${folder}`,
    '--loglevel=info',
    '--reporter=append-only',
    '--config.confirm-modules-purge=false',
  ]
  if (process.platform !== 'win32') return ['npx', args]
  return ['cmd.exe', ['/d', '/s', '/c', ['npx', ...args].join(' ')]]
}
