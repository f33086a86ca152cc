/** Runs `explain` over the built door, in this process. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../bootstrap/set-up.mjs'
import { UsageError } from '../wire/usage-error.mjs'
import { explain, usage } from './explain.mjs'

/** Sets the exit code: 2 after a message on stderr for arguments or files that the command cannot follow. */
export async function run() {
  process.stdout.on('error', endQuietly)
  const args = process.argv.slice(2)
  if ((args[0] === '--' ? args[1] : args[0]) === '--help') return void process.stdout.write(usage)
  try {
    const door = await import(pathToFileURL(join(root, 'packages/tools/dist/permission.js')).href)
    await explain(args, { door, folder: callersFolder(), write: (line) => void process.stdout.write(`${line}\n`) })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`looprig: ${error.message}\n\n${usage}`)
    process.exitCode = 2
  }
}

/** npm and pnpm start scripts in the clone's folder, but files are named from where the person stands. */
function callersFolder() {
  const { npm_lifecycle_event: script, INIT_CWD: folder } = process.env
  return script === 'explain' && folder ? folder : process.cwd()
}

/**
 * Nobody reads any more, as after `| head`.
 *
 * @param {NodeJS.ErrnoException} error
 */
function endQuietly(error) {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
}
