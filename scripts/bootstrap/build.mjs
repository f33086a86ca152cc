/** Builds the packages whose sources have changed. tsup is called without pnpm, so no shell tool is needed on the PATH. */
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { runChild } from './run-child.mjs'
import { SetUpError } from './set-up-error.mjs'
import { hashFiles, readStamp, writeStamp } from './stamp.mjs'
import { listPackages } from './workspace.mjs'

/**
 * Finds the packages whose last whole build was made from other sources or settings, or is not there any more.
 *
 * @param {string} root
 * @returns {{folder: string, hash: string}[]}
 */
export function staleBuilds(root) {
  const stamps = readStamps(root)
  const salt = readStamp(join(root, '.looprig', 'install-stamp'))
  const built = listPackages(root).filter(({ manifest }) => manifest.scripts?.build)
  const states = built.map(({ folder, manifest }) => {
    const inputs = [`${folder}/src`, `${folder}/package.json`, `${folder}/tsup.config.ts`, 'tsup.base.ts']
    const outputs = Object.values(manifest.exports ?? {}).flatMap((door) => door.default ?? [])
    const isThere = ['dist', ...outputs].every((path) => existsSync(join(root, folder, path)))
    return { folder, hash: hashFiles(root, inputs, salt), isThere }
  })
  return states.filter(({ folder, hash, isThere }) => !isThere || stamps[folder] !== hash)
}

/**
 * Builds packages side by side. Their stamps go first and come back when all are built.
 *
 * @param {string} root
 * @param {readonly {folder: string, hash: string}[]} stale from `staleBuilds`.
 * @param {{signal: AbortSignal, env: NodeJS.ProcessEnv, onStart: (pid: number) => void}} options
 * @throws {SetUpError} when a build fails; what tsup said is on stderr by then.
 */
export async function build(root, stale, options) {
  const stamps = readStamps(root)
  for (const { folder } of stale) delete stamps[folder]
  writeStamps(root, stamps)
  const queue = stale.map(({ folder }) => folder)
  /** @type {string[]} */
  const failed = []
  const worker = async () => {
    for (let folder = queue.shift(); folder !== undefined; folder = queue.shift()) {
      const { code } = await buildPackage(join(root, folder), root, options)
      if (code !== 0) failed.push(folder)
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: availableParallelism() }, worker))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  if (failed.length > 0)
    throw new SetUpError(`${failed.join(' and ')} could not be built. The reason is printed above.`)
  writeStamps(root, { ...stamps, ...Object.fromEntries(stale.map(({ folder, hash }) => [folder, hash])) })
}

/**
 * @param {string} folder
 * @param {string} root
 * @param {{signal: AbortSignal, env: NodeJS.ProcessEnv, onStart: (pid: number) => void}} options
 */
function buildPackage(folder, root, options) {
  const tsup = join(root, 'node_modules', 'tsup', 'dist', 'cli-default.js')
  return runChild(process.execPath, [tsup], { cwd: folder, ...options })
}

/**
 * @param {string} root
 * @returns {Record<string, string>}
 */
function readStamps(root) {
  try {
    return { ...JSON.parse(readStamp(stampPath(root))) }
  } catch {
    return {}
  }
}

/**
 * @param {string} root
 * @param {Record<string, string>} stamps
 */
function writeStamps(root, stamps) {
  writeStamp(stampPath(root), `${JSON.stringify(stamps, null, 2)}\n`)
}

/** @param {string} root */
function stampPath(root) {
  return join(root, '.looprig', 'build-stamp')
}
