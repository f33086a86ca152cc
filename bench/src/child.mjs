/** Runs one program of the bench in a process of its own. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** A subject that takes longer at one work has failed. */
const timeoutMs = 120_000

const runFile = promisify(execFile)
const bench = fileURLToPath(new URL('..', import.meta.url))

/** Gives the JSON that a program prints, or why it printed none. */
export async function runProgram(program, args) {
  const env = { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' }
  try {
    const { stdout } = await runFile(process.execPath, ['--expose-gc', program, ...args], {
      cwd: bench,
      env,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    })
    return JSON.parse(stdout)
  } catch (error) {
    return { error: error.killed ? `ended after ${timeoutMs / 1_000} s` : reasonOf(error) }
  }
}

/** The line of a crash that tells why, without the folders of this machine. */
function reasonOf({ stderr = '', message }) {
  const lines = stderr.split('\n')
  const line = lines.find((each) => /^\w*Error\b/.test(each)) ?? message.split('\n')[0]
  return line
    .replace(/ imported from .*/, '')
    .replaceAll(bench, '')
    .slice(0, 300)
}
