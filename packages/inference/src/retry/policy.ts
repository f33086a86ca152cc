import { setTimeout as sleep } from 'node:timers/promises'
import { countOption, optionError } from '../failure/option-error.ts'

/** How often, and after which waits, a request is sent again. */
export interface RetryPolicy {
  /** All attempts, the first too. Default: 4. */
  readonly maxAttempts?: number | undefined
  /** The wait after the first failure; it doubles with each further one. Default: 1000. */
  readonly baseDelayMs?: number | undefined
  /** The longest wait of our own. Default: 30 000. */
  readonly maxDelayMs?: number | undefined
  /** The longest wait that a server may ask for; over it, the request fails at once. Default: 60 000. */
  readonly maxRetryAfterMs?: number | undefined
  /** From 0 up to 1, for the jitter. Default: `Math.random`. */
  readonly random?: (() => number) | undefined
  /** Waits; rejects when the signal aborts. Default: a timer. */
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined
}

/** A policy with its defaults. */
export type ResolvedRetryPolicy = { readonly [K in keyof RetryPolicy]-?: NonNullable<RetryPolicy[K]> }

/**
 * Fills in the defaults.
 *
 * @throws InferenceError `invalid_options` for a count that is no whole number, or a cap below the base.
 */
export function resolveRetryPolicy(policy: RetryPolicy): ResolvedRetryPolicy {
  const baseDelayMs = countOption('baseDelayMs', policy.baseDelayMs, 1000)
  const maxDelayMs = countOption('maxDelayMs', policy.maxDelayMs, Math.max(baseDelayMs, 30_000))
  if (maxDelayMs < baseDelayMs) throw optionError('maxDelayMs', 'expected at least baseDelayMs')
  return {
    maxAttempts: countOption('maxAttempts', policy.maxAttempts, 4),
    baseDelayMs,
    maxDelayMs,
    maxRetryAfterMs: countOption('maxRetryAfterMs', policy.maxRetryAfterMs, 60_000, 0),
    random: policy.random ?? Math.random,
    wait: policy.wait ?? ((ms, signal) => sleep(ms, undefined, { signal })),
  }
}

/** The wait after the given number of failures: doubled each time, capped, within a tenth of it either way. */
export function backoffMs(failures: number, { baseDelayMs, maxDelayMs, random }: ResolvedRetryPolicy): number {
  const delay = Math.min(maxDelayMs, baseDelayMs * 2 ** Math.min(failures - 1, 31))
  return Math.round(delay * (0.9 + 0.2 * random()))
}
