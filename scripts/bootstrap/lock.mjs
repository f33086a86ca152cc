/**
 * A lock between processes: a folder with one empty file per holder, whose name says who that is. The folder is made
 * elsewhere and moved into place, so it is never seen without its holder; only an empty folder can be removed, so a
 * process that clears a dead lock late cannot take away the lock of the next one.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { InterruptedError, SetUpError } from './set-up-error.mjs'

/** What moving a folder onto one that is not empty answers. @type {ReadonlySet<string | undefined>} */
const heldCodes = new Set(['ENOTEMPTY', 'EEXIST'])

/**
 * Takes the lock, waiting while a live process holds it. A holder is dead when its pid is gone or belongs to a process
 * that started at another time.
 *
 * @param {string} folder its parent must exist.
 * @param {{signal: AbortSignal, onWait: (pid: number) => void, timeoutMs?: number, pollMs?: number}} options
 *   `onWait` is called once, before the first wait; `timeoutMs` is 10 minutes by default.
 * @returns {Promise<{addHolder: (pid: number) => void, release: () => void}>} a child added as a holder keeps the lock
 *   when this process is killed and the child lives on.
 * @throws {SetUpError} when the wait takes too long. @throws {InterruptedError} when aborted.
 */
export async function acquireLock(folder, { signal, onWait, timeoutMs = 600_000, pollMs = 200 }) {
  const deadline = performance.now() + timeoutMs
  const holder = holderName(process.pid)
  for (let waited = false; !take(folder, holder); ) {
    const pid = clearDead(folder)
    if (pid !== undefined && !waited) {
      onWait(pid)
      waited = true
    }
    if (performance.now() >= deadline) throw new SetUpError(waitedTooLong(pid, timeoutMs))
    await delay(pid === undefined ? 1 : pollMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) throw new InterruptedError()
  }
  const holders = [holder]
  return {
    addHolder(pid) {
      const name = holderName(pid)
      writeFileSync(join(folder, name), '')
      holders.push(name)
    },
    release: () => removeHolders(folder, holders),
  }
}

/**
 * @param {string} folder
 * @param {string} holder
 * @returns {boolean} whether the lock is ours now.
 */
function take(folder, holder) {
  const draft = `${folder}-${holder}`
  mkdirSync(draft)
  try {
    writeFileSync(join(draft, holder), '')
    renameSync(draft, folder)
    return true
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (heldCodes.has(/** @type {NodeJS.ErrnoException} */ (error).code) || existsSync(folder)) return false
    throw error
  }
}

/**
 * Removes a lock whose holders are all dead.
 *
 * @param {string} folder
 * @returns {number | undefined} the pid of a live holder; nothing when there is none.
 */
function clearDead(folder) {
  const holders = listHolders(folder)
  const live = holders.find(isAlive)
  if (live !== undefined) return Number.parseInt(live, 10)
  removeHolders(folder, holders)
  return undefined
}

/**
 * @param {string} folder
 * @param {readonly string[]} holders
 */
function removeHolders(folder, holders) {
  for (const name of holders) rmSync(join(folder, name), { force: true })
  try {
    rmdirSync(folder)
  } catch {
    // Another process has it by now.
  }
}

/** @param {string} folder */
function listHolders(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** @param {number} pid */
function holderName(pid) {
  return `${pid}-${processState(pid)?.startedAt ?? 'unknown'}-${randomUUID()}`
}

/** @param {string} holder */
function isAlive(holder) {
  const [pid, startedAt] = holder.split('-')
  if (!isRunning(Number(pid))) return false
  const state = processState(Number(pid))
  if (state === undefined || startedAt === 'unknown') return true
  return state.startedAt === startedAt && !state.isZombie
}

/** @param {number} pid */
function isRunning(pid) {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}

/**
 * Reads what Linux tells of a process: fields 3 (state) and 22 (start time) of its `stat`, after the name in brackets.
 *
 * @param {number} pid
 * @returns {{startedAt: string | undefined, isZombie: boolean} | undefined}
 */
function processState(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { startedAt: fields[19], isZombie: fields[0] === 'Z' }
  } catch {
    return undefined
  }
}

/**
 * @param {number | undefined} pid
 * @param {number} timeoutMs
 */
function waitedTooLong(pid, timeoutMs) {
  return `process ${pid ?? '(ended)'} has held the set-up lock for more than ${timeoutMs / 1000} s. If it hangs, end it and try again.`
}
