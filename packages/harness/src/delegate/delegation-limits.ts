import { DefinitionError } from '../error/errors.ts'

/** How far a session's agents may spread. */
export interface DelegationLimits {
  /** Levels of loops, the first one included: at 3 an agent may start agents, and those may start none. Default 3. */
  readonly depth: number
  /** Agents in the whole life of a session; a stopped one still counts. Default 64. */
  readonly quota: number
}

const defaults: DelegationLimits = { depth: 3, quota: 64 }

/** Beyond this a session's agents would not fit into memory and one list. */
const most: DelegationLimits = { depth: 16, quota: 1_024 }

/** Fills in defaults and checks. */
export function resolveDelegationLimits(
  limits: { readonly [K in keyof DelegationLimits]?: number | undefined } = {},
): DelegationLimits {
  const resolved = { depth: limits.depth ?? defaults.depth, quota: limits.quota ?? defaults.quota }
  for (const field of ['depth', 'quota'] as const) {
    const value = resolved[field]
    if (!Number.isSafeInteger(value) || value < 1 || value > most[field]) {
      throw new DefinitionError(`delegation.${field}`, `expected a whole number from 1 to ${most[field]}`)
    }
  }
  return Object.freeze(resolved)
}
