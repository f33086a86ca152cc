import { DefinitionBuildError } from '../../contract/errors.ts'
import type { RunnerResolver } from '../../contract/runner.ts'
import { checkedSettings, type ProcessSettings } from '../supervisor/settings.ts'

/** What Bash is made with. */
export interface BashDeps {
  /** Gives each loop its runner: called once per build, with the id of the loop, and never by a call. */
  readonly resolver: RunnerResolver
}

/** What an application may set for Bash. */
export interface BashOptions {
  /** The longest that a command may run in the foreground, in seconds. Default 120. */
  readonly maxTimeoutSeconds?: number | undefined
  /** The longest that a process may run in the background, in seconds, up to a day; `timeout: 0` is not bound by it. Default 3,600. */
  readonly maxBackgroundSeconds?: number | undefined
  /** How long a command waits for the workspace while something else writes it, in milliseconds. Default 30,000. */
  readonly workspaceWaitMs?: number | undefined
  /** Whether `tty` may be asked for. With the direct runner it needs the package `@lydell/node-pty`. Default false. */
  readonly tty?: boolean | undefined
  /** Limits of the session's processes; equal in all definitions that give any. */
  readonly processes?: ProcessSettings | undefined
  /** The time, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined
}

/** Options with nothing left open. */
export interface BashSettings {
  readonly maxTimeoutSeconds: number
  readonly maxBackgroundSeconds: number
  readonly workspaceWaitMs: number
  readonly tty: boolean
  readonly processes: ProcessSettings | undefined
  readonly now: () => number
}

const maxSeconds = 86_400

/** @throws DefinitionBuildError `invalid_definition` naming the option. */
export function bashSettings(options: BashOptions): BashSettings {
  const {
    maxTimeoutSeconds = 120,
    maxBackgroundSeconds = 3_600,
    workspaceWaitMs = 30_000,
    tty = false,
    now = Date.now,
  } = options
  checkRange('maxTimeoutSeconds', maxTimeoutSeconds, 1, maxSeconds)
  checkRange('maxBackgroundSeconds', maxBackgroundSeconds, 1, maxSeconds)
  checkRange('workspaceWaitMs', workspaceWaitMs, 1, maxSeconds * 1_000)
  const processes = checkedSettings('Bash', options.processes)
  return { maxTimeoutSeconds, maxBackgroundSeconds, workspaceWaitMs, tty, processes, now }
}

function checkRange(name: string, value: number, min: number, max: number): void {
  const isValid = Number.isSafeInteger(value) && value >= min && value <= max
  if (!isValid) throw new DefinitionBuildError('invalid_definition', 'Bash', name)
}
