/** Child processes of the set-up. Whatever they print goes to stderr: stdout belongs to the program. */
import { spawn } from 'node:child_process'
import { InterruptedError } from './set-up-error.mjs'

const tailLength = 16_384
const graceMs = 5_000

/**
 * Runs a child to its end. It reads no input and leads a process group, which an abort ends as a whole.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{cwd: string, env: NodeJS.ProcessEnv, signal: AbortSignal, onStart?: (pid: number) => void}} options
 * @returns {Promise<{code: number, tail: string}>} the exit code (1 for a signal) and the last 16 KiB that it printed.
 * @throws {InterruptedError} after an abort, once the child is gone.
 */
export async function runChild(file, args, { cwd, env, signal, onStart }) {
  if (signal.aborted) throw new InterruptedError()
  const grouped = process.platform !== 'win32'
  const child = spawn(file, args, { cwd, env, detached: grouped, stdio: ['ignore', 'pipe', 'pipe'] })
  let tail = ''
  /** @param {string} text */
  const show = (text) => {
    process.stderr.write(text)
    tail = (tail + text).slice(-tailLength)
  }
  child.stdout.setEncoding('utf8').on('data', show)
  child.stderr.setEncoding('utf8').on('data', show)
  const stop = () => endTree(child, grouped)
  signal.addEventListener('abort', stop)
  try {
    const end = ended(child)
    announce(child.pid, onStart, stop)
    const code = await end
    if (signal.aborted) throw new InterruptedError()
    return { code, tail }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/**
 * Tells of the child; a child that nobody could be told of is ended.
 *
 * @param {number | undefined} pid nothing when it could not be started.
 * @param {((pid: number) => void) | undefined} onStart
 * @param {() => void} stop
 */
function announce(pid, onStart, stop) {
  try {
    if (pid !== undefined) onStart?.(pid)
  } catch (error) {
    stop()
    throw error
  }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>}
 */
function ended(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {boolean} grouped
 */
function endTree(child, grouped) {
  if (child.pid === undefined) return
  const target = grouped ? -child.pid : child.pid
  kill(target, 'SIGTERM')
  const timer = setTimeout(() => kill(target, 'SIGKILL'), graceMs)
  child.once('close', () => clearTimeout(timer))
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} name
 */
function kill(pid, name) {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended already.
  }
}
