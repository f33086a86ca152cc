import type { Requirement, Rule, RuleCandidate, RuleSource, RuleWriter } from '@looprig/tools'

/** Stored rules in memory, by what they match. Tests read what was written, and say what goes wrong. */
export class RuleBook implements RuleSource, RuleWriter {
  readonly allowed = new Set<string>()
  readonly denied = new Set<string>()
  /** Every write that was asked for, in order. */
  readonly writes: (readonly RuleCandidate[])[] = []
  /** What the source was asked, as `effect match`. */
  readonly asked: string[] = []
  /** Runs in every write, before it is done. */
  beforeWrite: () => void | Promise<void> = () => undefined

  denies({ kind, match }: Requirement): Rule | undefined {
    this.asked.push(`deny ${match}`)
    return this.denied.has(match) ? { effect: 'deny', kind, match } : undefined
  }

  allows({ kind, match }: Requirement): Rule | undefined {
    this.asked.push(`allow ${match}`)
    return this.allowed.has(match) ? { effect: 'allow', kind, match } : undefined
  }

  async writeRules(candidates: readonly RuleCandidate[]): Promise<void> {
    this.writes.push(candidates)
    await this.beforeWrite()
    for (const { match } of candidates) this.allowed.add(match)
  }
}
