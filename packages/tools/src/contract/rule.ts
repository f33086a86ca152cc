import type { Requirement, RuleCandidate } from './request.ts'

/** A stored rule as an audit names it: what it says, never where it is kept. */
export interface Rule {
  readonly effect: 'allow' | 'deny'
  readonly kind: string
  /** What the rule covers, in the words of its store, for example `tree:src` or `Bash(git log:*)`; at most 1 KiB. */
  readonly match: string
}

/**
 * Reads stored rules. A gate asks it about what configuration leaves open: first for denials, of every requirement,
 * then for permissions. What it throws, and an answer that is no rule of the asked effect, denies the call.
 */
export interface RuleSource {
  /** The rule that forbids this requirement, if there is one. */
  denies(requirement: Requirement): Rule | undefined | Promise<Rule | undefined>
  /** The rule that permits this requirement, if there is one; a denial counts first. */
  allows(requirement: Requirement): Rule | undefined | Promise<Rule | undefined>
}

/** Keeps the rules that a person saves instead of one approval. */
export interface RuleWriter {
  /**
   * Adds the candidates as allow rules, all of them or none, before it resolves. It may be called again with rules that
   * are there already: the outcome is the union. What it throws keeps the call from running.
   */
  writeRules(candidates: readonly RuleCandidate[]): Promise<void>
}
