/** Makes a clone ready to run: dependencies installed, packages built. With valid stamps it only reads. */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, staleBuilds } from './build.mjs'
import { install, installEnvironment, isInstalled } from './install.mjs'
import { endedBySignals } from './interrupt.mjs'
import { acquireLock } from './lock.mjs'
import { InterruptedError, likelyCause, SetUpError } from './set-up-error.mjs'

/** The clone's folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/**
 * Installs and builds what is stale. Ends the process with a message and exit code 1 when that fails.
 *
 * @param {{build?: boolean}} options `build: false` installs only.
 */
export async function setUp(options = {}) {
  try {
    await makeReady(root, options)
  } catch (error) {
    if (error instanceof InterruptedError) return process.exit(130)
    process.stderr.write(`looprig: ${describe(error)}\n`)
    process.exit(1)
  }
}

/**
 * Installs and builds what is stale in a folder, under its lock.
 *
 * @param {string} folder
 * @param {{build?: boolean}} options
 * @throws {SetUpError} @throws {InterruptedError}
 */
export async function makeReady(folder, { build: builds = true } = {}) {
  if (isReady(folder, builds)) return
  await endedBySignals(async (signal) => {
    const state = join(folder, '.looprig')
    makeFolder(state)
    const lock = await acquireLock(join(state, 'lock'), {
      signal,
      onWait: (pid) => say(`another set-up of this clone is running (process ${pid}); waiting for it.`),
    })
    try {
      const run = { signal, onStart: lock.addHolder }
      if (!isInstalled(folder)) {
        say('installing the dependencies (once; the next start is quick) ...')
        await install(folder, run)
      }
      const stale = builds ? staleBuilds(folder) : []
      if (stale.length === 0) return
      say(`building ${stale.map((each) => each.folder).join(', ')} ...`)
      await build(folder, stale, { ...run, env: installEnvironment(process.env, folder) })
    } finally {
      lock.release()
    }
  })
}

/**
 * @param {string} folder
 * @param {boolean} builds
 */
function isReady(folder, builds) {
  return isInstalled(folder) && (!builds || staleBuilds(folder).length === 0)
}

/**
 * Not recursive: that hides the reason when a file system is read-only.
 *
 * @param {string} path
 */
function makeFolder(path) {
  try {
    mkdirSync(path)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
  }
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`looprig: ${text}\n`)
}

/** @param {unknown} error */
function describe(error) {
  if (error instanceof SetUpError) return error.message
  const text = String(error)
  const cause = likelyCause(text)
  if (cause) return `the set-up failed. ${cause}\n${text}`
  return error instanceof Error ? (error.stack ?? text) : text
}
