import { headWithin } from '@looprig/core'
import type { Requirement, Rule, RuleSource } from '@looprig/tools'

/** What stored rules make of one requirement. */
export type RuleAnswer = Rule | 'none' | 'error'

const maxMatchBytes = 1_024

/** Asks for the rule of one effect. A source that throws, and one that answers with anything else than such a rule or nothing, is an error. */
export async function consultRules(
  source: RuleSource,
  effect: Rule['effect'],
  requirement: Requirement,
): Promise<RuleAnswer> {
  try {
    const said = await (effect === 'deny' ? source.denies(requirement) : source.allows(requirement))
    return said === undefined ? 'none' : (readRule(said, effect) ?? 'error')
  } catch {
    return 'error'
  }
}

/** Copies what an audit keeps of a rule; nothing when it is no rule of this effect. */
export function readRule(said: unknown, effect: Rule['effect']): Rule | undefined {
  if (typeof said !== 'object' || said === null) return undefined
  const rule = said as { readonly [K in keyof Rule]?: unknown } // proved: any object may be read so
  const { kind, match } = rule
  if (rule.effect !== effect || typeof kind !== 'string' || typeof match !== 'string') return undefined
  return Object.freeze({
    effect,
    kind: headWithin(kind.toWellFormed(), maxMatchBytes),
    match: headWithin(match.toWellFormed(), maxMatchBytes),
  })
}
