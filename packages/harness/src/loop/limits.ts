import { DefinitionError } from '../error/errors.ts'

/**
 * Bounds of one turn. A turn that passes `iterations` or `calls` fails with `tool_limit`, one that used up `tokens` or
 * `cost` with `budget_exceeded`; what was committed stays, and an answer that is there already counts.
 */
export interface LoopLimits {
  /** Model responses with tool calls in one turn. Default 25. */
  readonly iterations: number
  /** Tool calls in one turn. Default 100, at most 400: the records of a step are one append. */
  readonly calls: number
  /** Tool calls that run at the same time. Default 8. */
  readonly parallel: number
  /** Bytes of one tool result; a longer one keeps its head and tail. Default 512 KiB. */
  readonly resultBytes: number
  /**
   * Tokens of one turn, in and out, cached ones too, as the provider reports them. No request to the model begins once
   * they are used up, so that the last one may pass them. Default: no bound.
   */
  readonly tokens?: number
  /** What one turn may cost, in the currency of `model.prices`, which it needs; else as `tokens`. Default: no bound. */
  readonly cost?: number
}

/** Limits as they are given. */
export type LimitOptions = { readonly [K in keyof LoopLimits]?: number | undefined }

const defaults: LoopLimits = { iterations: 25, calls: 100, parallel: 8, resultBytes: 512 * 1024 }

/** The smallest `resultBytes`: below it there is no room for a notice. */
const minResultBytes = 256

const maxCalls = 400

/**
 * Fills in what is not given from `base`, and checks.
 *
 * @param field - names the option in errors.
 */
export function resolveLimits(limits: LimitOptions = {}, base = defaults, field = 'limits'): LoopLimits {
  const { tokens = base.tokens, cost = base.cost } = limits
  const resolved: LoopLimits = {
    iterations: limits.iterations ?? base.iterations,
    calls: limits.calls ?? base.calls,
    parallel: limits.parallel ?? base.parallel,
    resultBytes: limits.resultBytes ?? base.resultBytes,
    ...(tokens === undefined ? {} : { tokens }),
    ...(cost === undefined ? {} : { cost }),
  }
  for (const name of ['iterations', 'calls', 'parallel', 'resultBytes', 'tokens'] as const) {
    const least = name === 'resultBytes' ? minResultBytes : 1
    const value = resolved[name]
    if (value !== undefined && (!Number.isSafeInteger(value) || value < least)) {
      throw new DefinitionError(`${field}.${name}`, `expected a whole number of at least ${least}`)
    }
  }
  if (resolved.calls > maxCalls) throw new DefinitionError(`${field}.calls`, `expected at most ${maxCalls}`)
  if (cost !== undefined && !(Number.isFinite(cost) && cost > 0)) {
    throw new DefinitionError(`${field}.cost`, 'expected an amount above 0')
  }
  return Object.freeze(resolved)
}
