import type { AccessSource, GrantIssuer, RuleSource, RuleWriter } from '@looprig/tools'
import { DefinitionError } from '../error/errors.ts'

/** What a gate is made of. */
export interface GateOptions {
  /** One source per requirement kind; a kind without one is denied. */
  readonly access: readonly AccessSource[]
  /** The stored rules, for what configuration leaves open. Default: there are none. */
  readonly rules?: { readonly source: RuleSource } | undefined
  /** Makes the tokens for requirements with a grant class. Without one a call that needs a token does not run. */
  readonly issuer?: GrantIssuer | undefined
}

/** What a gate is made of that asks a person. */
export interface InteractiveGateOptions extends GateOptions {
  /** With a writer, a person may answer `approve_always`. */
  readonly rules?: { readonly source: RuleSource; readonly writer?: RuleWriter | undefined } | undefined
  /**
   * After how many milliseconds of the store's time an unanswered request for permission is denied, whether a process
   * is there or not. From 1 to 31,536,000,000 (a year). Default: never.
   */
  readonly timeoutMs?: number | undefined
  /** The same for a question that a tool asks: it has no answer then, and the model is told. Default: never. */
  readonly questionTimeoutMs?: number | undefined
}

/** The longest time that a gate may stay open, when it has a limit. */
export const maxGateTimeoutMs = 31_536_000_000

/** Says whether a gate may stay open for so long. */
export function isGateTimeout(ms: unknown): ms is number {
  return Number.isSafeInteger(ms) && Number(ms) >= 1 && Number(ms) <= maxGateTimeoutMs
}

/**
 * Checks what callers without types may get wrong.
 *
 * @throws DefinitionError naming the option at fault.
 */
export function checkGateOptions(options: InteractiveGateOptions): void {
  const { access, rules, issuer, timeoutMs, questionTimeoutMs } = options
  if (!Array.isArray(access)) throw new DefinitionError('access', 'expected a list of access sources')
  for (const [index, source] of access.entries()) {
    if (typeof source?.accessFor !== 'function' || !Array.isArray(source.kinds)) {
      throw new DefinitionError(`access[${index}]`, 'expected an access source')
    }
  }
  if (rules !== undefined) {
    const { source, writer } = rules
    if (typeof source?.denies !== 'function' || typeof source.allows !== 'function') {
      throw new DefinitionError('rules.source', 'expected a rule source')
    }
    if (writer !== undefined && typeof writer.writeRules !== 'function') {
      throw new DefinitionError('rules.writer', 'expected a rule writer')
    }
  }
  if (issuer !== undefined && typeof issuer.issueGrant !== 'function') {
    throw new DefinitionError('issuer', 'expected a grant issuer')
  }
  if (timeoutMs !== undefined && !isGateTimeout(timeoutMs)) {
    throw new DefinitionError('timeoutMs', `expected 1 to ${maxGateTimeoutMs} milliseconds`)
  }
  if (questionTimeoutMs !== undefined && !isGateTimeout(questionTimeoutMs)) {
    throw new DefinitionError('questionTimeoutMs', `expected 1 to ${maxGateTimeoutMs} milliseconds`)
  }
}
