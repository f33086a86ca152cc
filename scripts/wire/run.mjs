/** Runs a command over the built packages, in this process. */
import { builtDoors } from './built-doors.mjs'
import { UsageError } from './usage-error.mjs'

/**
 * Sets the exit code: 2 after a message on stderr for arguments that the command cannot follow.
 *
 * @param {(args: readonly string[], context: {doors: import('./codecs.mjs').Doors, folder: string, write: (line: string) => void}) => Promise<number>} command
 * @param {string} usage
 */
export async function run(command, usage) {
  process.stdout.on('error', endQuietly)
  const args = process.argv.slice(2)
  if (args.includes('--help')) return void process.stdout.write(usage)
  try {
    process.exitCode = await command(args, { doors: builtDoors, folder: callersFolder(), write })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`looprig: ${error.message}\n\n${usage}`)
    process.exitCode = 2
  }
}

/** npm and pnpm start scripts in the clone's folder, but files are named from where the person stands. */
function callersFolder() {
  const { npm_lifecycle_event: script, INIT_CWD: folder } = process.env
  return (script === 'decode' || script === 'encode') && folder ? folder : process.cwd()
}

/** @param {string} line */
function write(line) {
  process.stdout.write(`${line}\n`)
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
