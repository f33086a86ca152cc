import { homedir } from 'node:os'
import type { AssistantExtension } from './assistant.ts'
import { runProgram } from './program.ts'
import { StopRequests } from './stop-requests.ts'

/** Runs the assistant with this process's arguments, signals and streams, and ends the process with its exit code. */
export function runInProcess(extension?: AssistantExtension): void {
  const stop = new StopRequests(() => process.exit(130))
  process.on('SIGINT', () => stop.interrupt())
  process.on('SIGTERM', () => stop.terminate())
  process.on('SIGHUP', () => stop.terminate())
  process.stdout.on('error', (error) => stop.leave(readerLeft(error) ? 'output_closed' : 'output_failed'))
  process.stderr.on('error', () => undefined)
  const { argv, env, platform, stdin, stdout, stderr } = process
  const surroundings = { argv: argv.slice(2), env, cwd: process.cwd(), platform, home: homedir(), stop, extension }
  runProgram({ ...surroundings, stdin, stdout, stderr }).then(
    // what is still on its way to a pipe is written first
    (code) => stdout.write('', (error) => process.exit(error && !readerLeft(error) ? code || 1 : code)),
    () => process.exit(1),
  )
}

function readerLeft(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || error.code === 'EOF'
}
