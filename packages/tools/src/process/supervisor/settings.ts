import { DefinitionBuildError } from '../../contract/errors.ts'

/** Limits of the processes of one session. Each is a whole number above 0; what is absent has its default. */
export interface ProcessSettings {
  /** Processes of one loop that run at once. Default 8. */
  readonly maxRunningPerLoop?: number | undefined
  /** Processes of the session that run at once. Default 32. */
  readonly maxRunningPerSession?: number | undefined
  /** Processes that have ended and can still be read; the one that ended first goes first. Default 100. */
  readonly maxRetained?: number | undefined
  /** Output of one process that is kept on disk, in bytes; the oldest goes first. Default 64 MiB. */
  readonly maxSpoolBytes?: number | undefined
  /** Output of all processes together, those that have ended too, in bytes. Default 2 GiB. */
  readonly maxSpoolBytesPerSession?: number | undefined
  /** Calls that wait for processes at once. Default 64. */
  readonly maxWaiting?: number | undefined
  /** What one process may have been sent and not read, in bytes. Default 1 MiB. */
  readonly maxPendingInputBytes?: number | undefined
  /** How long a process may clean up before it is killed, in milliseconds. Default 5,000. */
  readonly graceMs?: number | undefined
}

/** Limits with nothing left open. */
export type ResolvedSettings = { readonly [K in keyof ProcessSettings]-?: number }

const defaults: ResolvedSettings = Object.freeze({
  maxRunningPerLoop: 8,
  maxRunningPerSession: 32,
  maxRetained: 100,
  maxSpoolBytes: 64 * 1_048_576,
  maxSpoolBytesPerSession: 2_048 * 1_048_576,
  maxWaiting: 64,
  maxPendingInputBytes: 1_048_576,
  graceMs: 5_000,
})

/** Timers of more than 24 days fire at once. */
const maxGraceMs = 600_000

/**
 * Copies settings that can hold.
 *
 * @throws DefinitionBuildError `invalid_definition` naming the setting.
 */
export function checkedSettings(definition: string, given: ProcessSettings | undefined): ProcessSettings | undefined {
  if (given === undefined) return undefined
  const copy: ProcessSettings = Object.freeze({ ...given })
  for (const [name, value] of Object.entries(copy)) {
    const isKnown = Object.hasOwn(defaults, name)
    if (!isKnown || (value !== undefined && !(Number.isSafeInteger(value) && value >= 1)))
      throw invalid(definition, name)
  }
  // only what was said counts against what was said: a default gives way
  if (exceeds(copy.maxRunningPerLoop, copy.maxRunningPerSession)) throw invalid(definition, 'maxRunningPerLoop')
  if (exceeds(copy.maxSpoolBytes, copy.maxSpoolBytesPerSession)) throw invalid(definition, 'maxSpoolBytes')
  if (exceeds(copy.graceMs, maxGraceMs)) throw invalid(definition, 'graceMs')
  return copy
}

/** Fills in what was not said; a single limit gives way to the limit of all. */
export function resolvedSettings(given: ProcessSettings | undefined): ResolvedSettings {
  const said = Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined))
  const all: ResolvedSettings = { ...defaults, ...said }
  return Object.freeze({
    ...all,
    maxRunningPerLoop: Math.min(all.maxRunningPerLoop, all.maxRunningPerSession),
    maxSpoolBytes: Math.min(all.maxSpoolBytes, all.maxSpoolBytesPerSession),
  })
}

function exceeds(part: number | undefined, whole: number | undefined): boolean {
  return part !== undefined && whole !== undefined && part > whole
}

function invalid(definition: string, name: string): DefinitionBuildError {
  return new DefinitionBuildError('invalid_definition', definition, `processes.${name.slice(0, 64)}`)
}
