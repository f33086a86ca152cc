import { DefinitionBuildError } from '../../contract/errors.ts'
import type {
  CommandEnd,
  CommandRequest,
  PreparedProcess,
  ProcessRequest,
  RunningProcess,
  ShellRunner,
} from '../../contract/runner.ts'
import type { WorkspaceAccess } from '../../contract/workspace-coordinator.ts'
import type { ProcessGroup } from '../group/process-group.ts'
import { startShell } from '../group/start-shell.ts'
import { checkedEnvironment } from './environment.ts'
import { loadPty } from './pty-package.ts'
import { runningShell } from './running-shell.ts'
import { startTerminal } from './terminal-process.ts'

/** How commands run without confinement. */
export interface DirectRunnerOptions {
  /** All that a command finds in its environment. Make it with `commandEnvironment`; nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>
  /** A POSIX shell, the one that the commands are judged for. Default `/bin/sh`. */
  readonly shell?: string | undefined
  /** How long a command that is ended may clean up before it is killed, in milliseconds. Default 1,000. */
  readonly graceMs?: number | undefined
  /**
   * What is said of the writes of background processes. Default `broad_write`: while one runs, no file tool and no other
   * command goes on. Nothing here enforces what you say: with `read_only` a background process may still write, and its
   * writes are then unknown to the file tools.
   */
  readonly backgroundAccess?: WorkspaceAccess | undefined
}

/**
 * Runs commands with all the rights of this process: it CONFINES NOTHING. A command may read and write any file that this
 * process may, and reach any network. Use it where the machine itself is the confinement, such as a container for one
 * session, and give other places a sandbox's runner.
 *
 * What it does do: no environment but the given one, an empty standard input, a process group that is ended as a whole
 * (also what a command leaves behind), and an end within 2 seconds where something outside of the group holds the output.
 * A process that leaves its group (`setsid`, a daemon) is not caught, and after a SIGKILL of this process its commands
 * run on. Linux is proven; macOS is written and unproven; there is no Windows.
 *
 * @throws DefinitionBuildError `invalid_definition` naming the option.
 */
export function directRunner(options: DirectRunnerOptions): Required<Omit<ShellRunner, 'takesGrants'>> {
  const runner = new DirectRunner(options)
  return {
    runCommand: (request) => runner.runCommand(request),
    prepareProcess: (request) => runner.prepareProcess(request),
    checkTerminal: () => runner.checkTerminal(),
  }
}

const maxGraceMs = 60_000

class DirectRunner {
  readonly #environment: Readonly<Record<string, string>>
  readonly #shell: string
  readonly #graceMs: number
  readonly #access: WorkspaceAccess

  constructor({ environment, shell = '/bin/sh', graceMs = 1_000, backgroundAccess }: DirectRunnerOptions) {
    if (typeof environment !== 'object' || environment === null) throw invalid('environment')
    if (!shell.startsWith('/') || shell.includes('\0')) throw invalid('shell')
    if (!(Number.isSafeInteger(graceMs) && graceMs >= 0 && graceMs <= maxGraceMs)) throw invalid('graceMs')
    this.#environment = checkedEnvironment(environment)
    this.#shell = shell
    this.#graceMs = graceMs
    this.#access = structuredClone(backgroundAccess ?? { kind: 'broad_write' })
  }

  async runCommand(request: CommandRequest): Promise<CommandEnd> {
    const { command, directory, signal, timeoutMs } = request
    if (signal.aborted) return { ended: 'interrupted', exitCode: null, leftovers: 0, isGone: true }
    const { group } = await startShell({ ...this.#start(command, directory), hasInput: false })
    let ended: CommandEnd['ended'] = 'exited'
    const stop = (why: CommandEnd['ended']) => {
      if (ended !== 'exited') return
      ended = why
      void group.stop(this.#graceMs)
    }
    const interrupt = () => stop('interrupted')
    const timer = setTimeout(() => stop('timed_out'), timeoutMs)
    signal.addEventListener('abort', interrupt, { once: true })
    if (signal.aborted) interrupt()
    try {
      await readAll(group, request)
      const { exitCode, signal: endedBy, leftovers, isGone } = await group.end
      return { ended, exitCode, signal: endedBy, leftovers, isGone }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', interrupt)
    }
  }

  async prepareProcess(request: ProcessRequest): Promise<PreparedProcess> {
    const { command, directory, hasInput, terminal } = request
    const pty = terminal === undefined ? undefined : await loadPty()
    const start = this.#start(command, directory)
    let isSpent = false
    return {
      access: structuredClone(this.#access),
      start: async (signal): Promise<RunningProcess> => {
        if (isSpent) throw new TypeError('a prepared process starts once')
        isSpent = true
        signal.throwIfAborted()
        if (pty !== undefined && terminal !== undefined) return startTerminal(pty, start, terminal)
        return runningShell(await startShell({ ...start, hasInput }))
      },
      close: async () => {
        isSpent = true
      },
    }
  }

  async checkTerminal(): Promise<void> {
    await loadPty().catch((cause: unknown) => {
      throw new DefinitionBuildError('missing_dependency', 'Bash', '@lydell/node-pty', { cause })
    })
  }

  #start(command: string, directory: string) {
    return { shell: this.#shell, command, directory, environment: this.#environment }
  }
}

async function readAll(group: ProcessGroup, { onOutput }: CommandRequest): Promise<void> {
  for await (const chunk of group.output) onOutput(chunk)
}

function invalid(option: string): DefinitionBuildError {
  return new DefinitionBuildError('invalid_definition', 'directRunner', option)
}
