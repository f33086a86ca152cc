import { type LoopId, LooprigError, type ToolExecutionId } from '@looprig/core'
import type { WorkspaceAccess } from './workspace-coordinator.ts'

/** One command that a runner is asked to run to its end. */
export interface CommandRequest {
  /** For a shell, as it was approved. */
  readonly command: string
  /** Absolute and canonical: every link is resolved. */
  readonly directory: string
  readonly executionId: ToolExecutionId
  /** Tokens of what was approved; empty for a runner that does not take them. */
  readonly grants: readonly string[]
  /** Aborted: end the command and all that it started, then settle. */
  readonly signal: AbortSignal
  /** After how many milliseconds the runner ends it, as on abort. */
  readonly timeoutMs: number
  /** Takes output and error output as they come, in one order. Must not throw; keeps no reference to the bytes. */
  onOutput(bytes: Uint8Array): void
}

/** How a command ended. */
export interface CommandEnd {
  readonly ended: 'exited' | 'timed_out' | 'interrupted'
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  /** For example `SIGSEGV`. */
  readonly signal?: string | undefined
  /** How many processes the command had left behind when it exited; they were ended with it. */
  readonly leftovers: number
  /** Nothing of it runs any more, as far as the runner can see. */
  readonly isGone: boolean
}

/**
 * Runs one command and waits for its end. Standard input is empty. It settles only when the command's processes are gone
 * or proved not to go.
 */
export interface CommandRunner {
  /** It reads `grants`. A runner that does not say so is never given any. */
  readonly takesGrants?: boolean | undefined
  /** @throws RunnerError when nothing was started. */
  runCommand(request: CommandRequest): Promise<CommandEnd>
}

/** One command that outlives the call that starts it. */
export interface ProcessRequest {
  readonly command: string
  /** Absolute and canonical: every link is resolved. */
  readonly directory: string
  /** The call that starts it. */
  readonly executionId: ToolExecutionId
  readonly grants: readonly string[]
  /** Whether somebody will write to it. False: standard input is empty. */
  readonly hasInput: boolean
  /** Run it in a terminal of this size: then output and error output are one, and input is always open. */
  readonly terminal?: TerminalSize | undefined
}

/** In characters, 1 to 65,535. */
export interface TerminalSize {
  readonly rows: number
  readonly columns: number
}

/** A process that is ready to start: grants are spent, nothing runs. */
export interface PreparedProcess {
  /** What it will be able to write, by what confines it and never by what the model said. */
  readonly access: WorkspaceAccess
  /**
   * Starts it; once. The signal ends the start only, never the process.
   *
   * @throws RunnerError when nothing runs.
   */
  start(signal: AbortSignal): Promise<RunningProcess>
  /** Gives up what was not started. Idempotent; does nothing to a process that was started. */
  close(): Promise<void>
}

/** What a process is told to do: all of its processes get the signal. */
export type ProcessSignal = 'interrupt' | 'terminate' | 'kill'

/** How a process ended. */
export interface ProcessEnd {
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  readonly signal?: string | undefined
  readonly isGone: boolean
}

/** A process that runs. No pid: who holds this has all the power that there is over it. */
export interface RunningProcess {
  /** Output and error output as they come, in one order; read once. Ends within 2 s of `end`, whoever holds the pipe. */
  readonly output: AsyncIterable<Uint8Array>
  /** Settles when it and all that it started are gone. Rejects when the runner does not know. */
  readonly end: Promise<ProcessEnd>
  /** How many bytes `write` was given that the process has not taken. */
  readonly pendingInput: number
  /** Resolves when the system took the bytes; rejects when nobody can read them any more. */
  write(bytes: Uint8Array): Promise<void>
  /** Closes its input; in a terminal, types the end of input. */
  endInput(): Promise<void>
  /** Only with a terminal. */
  resize?: ((size: TerminalSize) => void) | undefined
  /**
   * A signal to what has ended does nothing. After `terminate` all of its processes may clean up until `kill` comes; whoever
   * sends the one sends the other. Throws when the system refuses.
   */
  signal(signal: ProcessSignal): void
}

/** Starts processes that outlive their call, in two steps, so that the workspace can be claimed in between. */
export interface ProcessRunner {
  /**
   * Checks and spends the grants, and starts nothing.
   *
   * @throws RunnerError
   */
  prepareProcess(request: ProcessRequest): Promise<PreparedProcess>
  /**
   * Says whether it can give a terminal; called once per build, where terminals are switched on.
   *
   * @throws DefinitionBuildError naming what is missing.
   */
  checkTerminal?: (() => Promise<void>) | undefined
}

/** What Bash runs its commands with. Without `prepareProcess` it runs none in the background. */
export type ShellRunner = CommandRunner & Partial<ProcessRunner>

/** Gives a loop its runner: called once per build, never by a call. */
export type RunnerResolver = (loopId: LoopId) => ShellRunner | Promise<ShellRunner>

/**
 * - `spawn_failed`: the system refused to start it.
 * - `process_setup_failed`: it could not be made ready, for example a grant was refused.
 * - `pty_unavailable`: there are no terminals here.
 * - `lifetime_enforcement_unavailable`: this runner lets nothing outlive its call.
 */
export type RunnerErrorCode =
  | 'spawn_failed'
  | 'process_setup_failed'
  | 'pty_unavailable'
  | 'lifetime_enforcement_unavailable'

/** Why a runner started nothing. What the system said is its cause, which no model reads. */
export class RunnerError extends LooprigError {
  override readonly name = 'RunnerError'
  readonly code: RunnerErrorCode

  constructor(code: RunnerErrorCode, options?: ErrorOptions) {
    super(messages[code], options)
    this.code = code
  }
}

const messages: Record<RunnerErrorCode, string> = {
  spawn_failed: 'the command could not be started',
  process_setup_failed: 'the process could not be made ready',
  pty_unavailable: 'no terminal can be had',
  lifetime_enforcement_unavailable: 'no process may outlive its call',
}
