import type { LoopId } from '@looprig/core'
import { defineTool } from '../../contract/define-tool.ts'
import type { ToolDefinition } from '../../contract/definition.ts'
import { DefinitionBuildError } from '../../contract/errors.ts'
import type { Preview } from '../../contract/preview.ts'
import type { ShellRunner } from '../../contract/runner.ts'
import { sessionSupervisor } from '../supervisor/session-supervisor.ts'
import { approvedCommand } from './approved-command.ts'
import { bashArguments } from './arguments.ts'
import { checkSupervised } from './check-supervised.ts'
import { commandRequirements, shownCommand } from './command-requirements.ts'
import { type BashDeps, type BashOptions, bashSettings } from './options.ts'
import { runForeground } from './run-foreground.ts'
import { runSupervised } from './run-supervised.ts'
import { spawnDirectory } from './spawn-directory.ts'

const description =
  'Run a command with a POSIX shell (not bash: no arrays, no [[ ]]) in the workspace. You get its output and error output in one ' +
  'order, and its exit code; of long output the start and the end. Its input is empty. What it leaves running is ended with it: for ' +
  'a server or a long job use background or yield_time_ms, which give a process_id for ProcessOutput, ProcessInput and ProcessStop.'

/** For how long an approved command may still be started. */
const grantMs = 15 * 60_000

/**
 * The tool `Bash`: one shell command, in the foreground or as a supervised process. Needs a workspace and processes.
 *
 * The runner decides what a command can reach; `directRunner` confines nothing.
 *
 * @throws DefinitionBuildError `invalid_definition` naming the option; from `build`, `missing_dependency` naming
 *   `resolver`, `runner`, `process_registry` or what a terminal lacks.
 */
export function bashDefinition(
  deps: BashDeps,
  options: BashOptions = {},
): ToolDefinition<readonly ['workspace', 'processes']> {
  const settings = bashSettings(options)
  const resolver: unknown = deps?.resolver
  return defineTool({
    name: 'Bash',
    description,
    requires: ['workspace', 'processes'],
    inputSchema: bashArguments,
    setup: async ({ loopId, processes }) => {
      if (typeof resolver !== 'function') throw new DefinitionBuildError('missing_dependency', 'Bash', 'resolver')
      const runner = await resolveRunner(deps, loopId)
      if (settings.tty) await checkTerminal(runner)
      const supervisor = await sessionSupervisor('Bash', processes, settings.processes, settings.now)
      return { runner, supervisor, settings }
    },
    prepare: async (input, { workspace, deps }) => {
      const approved = approvedCommand(input, settings)
      if (approved.supervised) checkSupervised(approved, deps)
      const directory = await spawnDirectory(workspace.root, input.workdir)
      const { command } = input
      return {
        summary: `run ${shownCommand(command)}`,
        command,
        workingDirectory: directory,
        expiresAtMs: settings.now() + grantMs,
        requirements: commandRequirements(command, directory, input.access),
        artifact: { ...approved, directory },
        ...(shownCommand(command) === command ? {} : { preview: previewOf(command) }),
      }
    },
    run: (approved, context) =>
      approved.supervised ? runSupervised(approved, context) : runForeground(approved, context),
    auditSummary: ({ command, supervised }) => `Bash ${programOf(command)}${supervised ? ' (supervised)' : ''}`,
  })
}

async function resolveRunner({ resolver }: BashDeps, loopId: LoopId): Promise<ShellRunner> {
  let runner: ShellRunner | undefined
  try {
    runner = await resolver(loopId)
  } catch (cause) {
    throw new DefinitionBuildError('missing_dependency', 'Bash', 'runner', { cause })
  }
  if (typeof runner?.runCommand === 'function') return runner
  throw new DefinitionBuildError('missing_dependency', 'Bash', 'runner')
}

async function checkTerminal(runner: ShellRunner): Promise<void> {
  if (runner.checkTerminal === undefined) throw new DefinitionBuildError('missing_dependency', 'Bash', 'tty')
  await runner.checkTerminal()
}

/** What does not fit into one line, or has more than one, is shown whole to who decides. */
function previewOf(command: string): Preview {
  return { kind: 'text', text: command }
}

/** For logs: the name of a program, and nothing that could hold a secret. */
function programOf(command: string): string {
  return /^[A-Za-z0-9._+-]{1,32}(?=\s|$)/.exec(command)?.[0] ?? '(command)'
}
