import type { BashArguments } from './arguments.ts'
import type { BashSettings } from './options.ts'

/** What of a call to Bash is approved and runs: plain data. */
export interface ApprovedCommand {
  readonly command: string
  /** As the model named it. */
  readonly workdir: string | null
  /** Canonical. */
  readonly directory: string
  /** Null: no deadline until the session ends. */
  readonly timeoutMs: number | null
  readonly supervised: boolean
  readonly background: boolean
  readonly yieldMs: number
  readonly tty: boolean
  readonly maxOutputBytes: number | null
}

const defaultSeconds = 30

export function approvedCommand(input: BashArguments, settings: BashSettings): Omit<ApprovedCommand, 'directory'> {
  const background = input.background === true
  const supervised = background || input.yield_time_ms !== undefined
  return {
    command: input.command,
    workdir: input.workdir ?? null,
    timeoutMs: supervised
      ? backgroundTimeout(input.timeout, settings)
      : Math.min(input.timeout ?? defaultSeconds, settings.maxTimeoutSeconds) * 1_000,
    supervised,
    background,
    yieldMs: input.yield_time_ms ?? 0,
    tty: input.tty === true,
    maxOutputBytes: input.max_output_bytes ?? null,
  }
}

function backgroundTimeout(seconds: number | undefined, { maxBackgroundSeconds }: BashSettings): number | null {
  if (seconds === 0) return null
  return Math.min(seconds ?? maxBackgroundSeconds, maxBackgroundSeconds) * 1_000
}
