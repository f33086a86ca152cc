import { DefinitionError } from '../error/errors.ts'
import { adoptInfo, type RestoreDecider } from './drift-decider.ts'

/** Who decides on a changed configuration, and how long that may take. */
export interface DriftOptions {
  readonly onDrift: RestoreDecider
  readonly driftTimeoutMs: number
}

/** One day; timers of more than 24 days fire at once. */
const maxTimeoutMs = 86_400_000

/**
 * Fills in defaults and checks.
 *
 * @throws DefinitionError `onDrift`, `driftTimeoutMs`.
 */
export function checkDriftOptions(
  options: { readonly [K in keyof DriftOptions]?: DriftOptions[K] | undefined },
): DriftOptions {
  const { onDrift = adoptInfo, driftTimeoutMs = 30_000 } = options
  if (typeof onDrift !== 'function') throw new DefinitionError('onDrift', 'expected a function')
  if (!(driftTimeoutMs > 0 && driftTimeoutMs <= maxTimeoutMs)) {
    throw new DefinitionError('driftTimeoutMs', `expected more than 0 and at most ${maxTimeoutMs} milliseconds`)
  }
  return { onDrift, driftTimeoutMs }
}
