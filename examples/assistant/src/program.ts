import { readFileSync } from 'node:fs'
import { isLooprigError } from '@looprig/core'
import { type Command, parseArguments } from './arguments.ts'
import type { ExitCode } from './exit-code.ts'
import { resolveWorkspace } from './paths.ts'
import { Screen, writeTo } from './render/screen.ts'
import { resolveFolders, type Surroundings } from './surroundings.ts'
import { helpText, UsageError } from './usage.ts'

/** Runs the program once. What goes wrong is told on stderr; never rejects. */
export async function runProgram(surroundings: Surroundings): Promise<ExitCode> {
  const { argv, env, stdout, stderr, stop } = surroundings
  const screen = new Screen(stdout, stderr, !env.NO_COLOR, () => stop.reason === 'output_closed')
  try {
    const code = await dispatch(parseArguments(argv), surroundings, screen)
    if (stop.reason === 'output_failed') screen.error({ code: 'output_failed', message: 'stdout cannot be written' })
    return code
  } catch (error) {
    if (stop.reason === 'output_closed') return 0
    if (!(error instanceof UsageError)) return fail(error, screen)
    screen.note(`error: ${error.message}`, 'error')
    for (const line of error.details) screen.note(line)
    screen.note('Nothing was written. `npm start -- --help` tells how it is used.')
    return 2
  }
}

/** What help and mistakes do not need is loaded on use. */
async function dispatch(command: Command, surroundings: Surroundings, screen: Screen): Promise<ExitCode> {
  switch (command.kind) {
    case 'help':
      await writeTo(surroundings.stdout, helpText)
      return 0
    case 'version':
      await writeTo(surroundings.stdout, `${readVersion()}\n`)
      return 0
    case 'sessions': {
      const { printSessions } = await import('./sessions-command.ts')
      const { dataFolder, workspace } = resolveFolders(command, surroundings)
      const canonical = workspace === undefined ? undefined : await resolveWorkspace(workspace)
      await printSessions(command.outputFormat, dataFolder, canonical, surroundings.stdout)
      return 0
    }
    case 'run': {
      const { run } = await import('./run.ts')
      return run(command, surroundings, screen)
    }
  }
}

async function fail(error: unknown, screen: Screen): Promise<ExitCode> {
  await screen.endAnswerLine()
  if (isLooprigError(error)) {
    const { code, message, cause } = error
    screen.error({ code, message: isLooprigError(cause) ? `${message}: ${cause.message}` : message })
    return 1
  }
  // a defect of ours: the stack is what a report needs
  screen.error({ code: 'internal', message: error instanceof Error ? error.message : String(error) })
  for (const line of error instanceof Error ? (error.stack ?? '').split('\n').slice(1) : []) screen.note(line, 'dim')
  return 1
}

/** Beside `src` as beside `dist`. */
function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  const manifest: { readonly version?: unknown } = JSON.parse(text)
  return String(manifest.version)
}
