import { DefinitionBuildError } from '../../contract/errors.ts'

/** How long a client waits and how much it takes: whole numbers from 1 on, all times in milliseconds. */
export interface ClientLimits {
  /** For the connection, TLS and proxy included. Default 10,000. */
  readonly connectMs?: number | undefined
  /** From the connection to the whole head of the answer. Default 30,000. */
  readonly firstByteMs?: number | undefined
  /** Between two pieces of the body. Default 15,000. */
  readonly idleMs?: number | undefined
  /** For one call with all its redirects. Default 60,000. */
  readonly totalMs?: number | undefined
  /** The most bytes of an answer's head. Default 32,768. */
  readonly maxHeaderBytes?: number | undefined
}

/** Limits with nothing left open. */
export type WholeLimits = { readonly [K in keyof ClientLimits]-?: number }

const defaults: WholeLimits = {
  connectMs: 10_000,
  firstByteMs: 30_000,
  idleMs: 15_000,
  totalMs: 60_000,
  maxHeaderBytes: 32_768,
}

/** A day; timers of more than 24 days fire at once. */
const maxLimit = 86_400_000

/**
 * Fills in what was not set.
 *
 * @throws DefinitionBuildError `invalid_definition` naming the limit that is no whole number from 1 on.
 */
export function wholeLimits(given: ClientLimits = {}): WholeLimits {
  const of = (key: keyof ClientLimits) => {
    const limit = given[key] ?? defaults[key]
    if (Number.isSafeInteger(limit) && limit >= 1 && limit <= maxLimit) return limit
    throw new DefinitionBuildError('invalid_definition', 'createGuardedClient', `limits.${key}`)
  }
  return {
    connectMs: of('connectMs'),
    firstByteMs: of('firstByteMs'),
    idleMs: of('idleMs'),
    totalMs: of('totalMs'),
    maxHeaderBytes: of('maxHeaderBytes'),
  }
}
