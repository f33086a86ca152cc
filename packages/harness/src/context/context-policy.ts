import type { Model } from '@looprig/inference'
import { DefinitionError } from '../error/errors.ts'
import type { ContextCounter } from './context-counter.ts'
import { inputLimit } from './context-level.ts'

/** When a loop's history is folded into a summary, and what is kept of it. Every field has a default. */
export interface ContextPolicy {
  /** Tokens of the window that stay free for the answer; the model's own limit when that is less. Default 8,192. */
  readonly reservedOutputTokens: number
  /** Tokens that stay free besides, for what nobody counts exactly. Default 2,048; 0 only with an exact counter. */
  readonly safetyMarginTokens: number
  /** The share of the input limit at which a compaction begins. Default 0.8, less than 1. */
  readonly compactAt: number
  /** Below this share the pressure is `normal` again and another automatic compaction may follow. Default 0.6. */
  readonly rearmBelow: number
  /** The most segments that are kept as they are. A segment begins at a user message; the newest is always kept. Default 3. */
  readonly keepRecentSegments: number
  /** Older segments are kept only up to this size: bytes of JSON by four, 1,600 for an image. Default 20,000. */
  readonly keepRecentTokens: number
  /** The longest summary, at most `reservedOutputTokens`. Default 4,096, or less where less is reserved. */
  readonly maxSummaryTokens: number
  /** Whether a compaction begins by itself. Without, a turn at the limit fails with `context_limit`. Default true. */
  readonly automatic: boolean
  /** Default: none; what the provider reported of the last step is the measure. */
  readonly counter: ContextCounter | undefined
  /** How long one count may take. Default 10,000 ms. */
  readonly countTimeoutMs: number
  /** How long the request of a summary may take. Default 90,000 ms. */
  readonly summaryTimeoutMs: number
}

/** What of a `ContextPolicy` differs from its defaults; `{}` is a policy. */
export type ContextPolicyOptions = { readonly [K in keyof ContextPolicy]?: ContextPolicy[K] | undefined }

const defaults: ContextPolicy = {
  reservedOutputTokens: 8_192,
  safetyMarginTokens: 2_048,
  compactAt: 0.8,
  rearmBelow: 0.6,
  keepRecentSegments: 3,
  keepRecentTokens: 20_000,
  maxSummaryTokens: 4_096,
  automatic: true,
  counter: undefined,
  countTimeoutMs: 10_000,
  summaryTimeoutMs: 90_000,
}

/** One day; timers of more than 24 days fire at once. */
const maxTimeoutMs = 86_400_000

/**
 * Fills in defaults and checks.
 *
 * @throws DefinitionError naming the field, `context.compactAt` for one.
 */
export function resolveContextPolicy(options: ContextPolicyOptions, model: Model): ContextPolicy {
  if (typeof options !== 'object' || options === null) throw new DefinitionError('context', 'expected an object')
  const { reservedOutputTokens = defaults.reservedOutputTokens } = options
  const policy: ContextPolicy = {
    reservedOutputTokens,
    safetyMarginTokens: options.safetyMarginTokens ?? defaults.safetyMarginTokens,
    compactAt: options.compactAt ?? defaults.compactAt,
    rearmBelow: options.rearmBelow ?? defaults.rearmBelow,
    keepRecentSegments: options.keepRecentSegments ?? defaults.keepRecentSegments,
    keepRecentTokens: options.keepRecentTokens ?? defaults.keepRecentTokens,
    maxSummaryTokens: options.maxSummaryTokens ?? Math.min(defaults.maxSummaryTokens, reservedOutputTokens),
    automatic: options.automatic ?? defaults.automatic,
    counter: options.counter,
    countTimeoutMs: options.countTimeoutMs ?? defaults.countTimeoutMs,
    summaryTimeoutMs: options.summaryTimeoutMs ?? defaults.summaryTimeoutMs,
  }
  checkWholeNumbers(policy)
  if (policy.maxSummaryTokens > policy.reservedOutputTokens) {
    throw new DefinitionError('context.maxSummaryTokens', 'expected at most reservedOutputTokens')
  }
  checkShares(policy)
  checkCounter(policy)
  checkFits(policy, model)
  return Object.freeze(policy)
}

function checkWholeNumbers(policy: ContextPolicy): void {
  const positive = ['reservedOutputTokens', 'keepRecentSegments', 'keepRecentTokens', 'maxSummaryTokens'] as const
  for (const field of positive) checkWhole(field, policy[field], 1, Number.MAX_SAFE_INTEGER)
  checkWhole('safetyMarginTokens', policy.safetyMarginTokens, 0, Number.MAX_SAFE_INTEGER)
  for (const field of ['countTimeoutMs', 'summaryTimeoutMs'] as const) {
    checkWhole(field, policy[field], 1, maxTimeoutMs)
  }
  if (typeof policy.automatic !== 'boolean') throw new DefinitionError('context.automatic', 'expected true or false')
}

function checkWhole(field: keyof ContextPolicy, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return
  const bounds = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
  throw new DefinitionError(`context.${field}`, `expected a whole number ${bounds}`)
}

function checkShares({ compactAt, rearmBelow }: ContextPolicy): void {
  if (!(compactAt > 0 && compactAt < 1)) {
    throw new DefinitionError('context.compactAt', 'expected a share between 0 and 1, for example 0.8')
  }
  if (!(rearmBelow > 0 && rearmBelow < compactAt)) {
    throw new DefinitionError('context.rearmBelow', 'expected a share between 0 and compactAt')
  }
}

function checkCounter({ counter, safetyMarginTokens }: ContextPolicy): void {
  if (counter !== undefined && typeof counter?.count !== 'function') {
    throw new DefinitionError('context.counter', 'expected an object with count and exact')
  }
  if (counter?.exact !== true && safetyMarginTokens === 0) {
    throw new DefinitionError('context.safetyMarginTokens', 'expected at least 1 without an exact counter')
  }
}

function checkFits(policy: ContextPolicy, { limits }: Model): void {
  if (limits?.windowTokens === undefined) return
  const limit = inputLimit(policy, limits)
  if (limit === undefined) {
    throw new DefinitionError('context.reservedOutputTokens', 'expected less than the model has in its window')
  }
  if (policy.maxSummaryTokens >= limit) {
    throw new DefinitionError('context.maxSummaryTokens', `expected less than the input limit of ${limit} tokens`)
  }
}
