import { DefinitionError } from '../error/errors.ts'

/** Bounds of one turn. A turn that passes one fails with `tool_limit`; what was committed stays. */
export interface LoopLimits {
  /** Model responses with tool calls in one turn. Default 25. */
  readonly iterations: number
  /** Tool calls in one turn. Default 100, at most 400: the records of a step are one append. */
  readonly calls: number
  /** Tool calls that run at the same time. Default 8. */
  readonly parallel: number
  /** Bytes of one tool result; a longer one keeps its head and tail. Default 512 KiB. */
  readonly resultBytes: number
}

const defaults: LoopLimits = { iterations: 25, calls: 100, parallel: 8, resultBytes: 512 * 1024 }

/** The smallest `resultBytes`: below it there is no room for a notice. */
const minResultBytes = 256

const maxCalls = 400

/** Fills in defaults and checks. */
export function resolveLimits(limits: { readonly [K in keyof LoopLimits]?: number | undefined } = {}): LoopLimits {
  const resolved: LoopLimits = {
    iterations: limits.iterations ?? defaults.iterations,
    calls: limits.calls ?? defaults.calls,
    parallel: limits.parallel ?? defaults.parallel,
    resultBytes: limits.resultBytes ?? defaults.resultBytes,
  }
  for (const field of ['iterations', 'calls', 'parallel', 'resultBytes'] as const) {
    const least = field === 'resultBytes' ? minResultBytes : 1
    const value = resolved[field]
    if (!Number.isSafeInteger(value) || value < least) {
      throw new DefinitionError(`limits.${field}`, `expected a whole number of at least ${least}`)
    }
  }
  if (resolved.calls > maxCalls) throw new DefinitionError('limits.calls', `expected at most ${maxCalls}`)
  return Object.freeze(resolved)
}
