/** Runs a tool of the workspace in a child process. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'

/**
 * Runs the JavaScript entry of an installed package.
 *
 * @param {string} root
 * @param {string} entry its path below `node_modules`.
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env added to that of this process.
 * @returns {Promise<string[]>} what it printed, if it failed; nothing otherwise.
 */
export function runTool(root, entry, args, env = {}) {
  const options = { cwd: root, env: { ...process.env, NO_COLOR: '1', ...env } }
  return runCommand(process.execPath, [join(root, 'node_modules', entry), ...args], options)
}

/**
 * Runs a command without input.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{cwd: string, env?: NodeJS.ProcessEnv, shell?: boolean, signal?: AbortSignal, expect?: (stdout: string) => string | undefined}} options
 *   `expect` names what is wrong with the output of a success.
 * @returns {Promise<string[]>}
 */
export function runCommand(file, args, { expect, ...options }) {
  const limits = { maxBuffer: 64 * 1024 * 1024, timeout: 600_000, encoding: /** @type {const} */ ('utf8') }
  return new Promise((resolve) => {
    const child = execFile(file, args, { ...options, ...limits }, (error, stdout, stderr) => {
      const wrong = error ? `exit code ${error.code ?? error.signal}` : expect?.(stdout)
      resolve(wrong ? [`${stdout}${stderr}`.trimEnd(), wrong] : [])
    })
    child.stdin?.end()
  })
}
