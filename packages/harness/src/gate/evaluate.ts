import type { Requirement, Rule, RuleCandidate, RuleSource, ToolRequest } from '@looprig/tools'
import { type AccessByKind, accessFor } from './access-by-kind.ts'
import { candidatesOf } from './candidates.ts'
import { consultRules } from './consult-rules.ts'
import type { Evaluation } from './gate.ts'

/** What a request is judged by. */
export interface Policy {
  readonly access: AccessByKind
  readonly rules: RuleSource | undefined
}

/**
 * Judges a request, always in this order: configured access of every requirement, stored rules that deny, stored rules
 * that allow, then one question over what is still unmet. The first denial ends it; rules are asked only about what
 * configuration leaves open.
 */
export async function evaluateRequest(request: ToolRequest, { access, rules }: Policy): Promise<Evaluation> {
  const open: Requirement[] = []
  for (const requirement of request.requirements) {
    const said = accessFor(requirement, access)
    if (said === 'deny') return { decision: 'deny', reason: 'access_denied', requirement }
    if (said === 'error') return { decision: 'deny', reason: 'access_error', requirement }
    if (said === 'ask') open.push(requirement)
  }
  if (open.length === 0) return { decision: 'allow' }
  const grants = withGrants(open)
  if (rules === undefined) return { decision: 'ask', unmet: open, ...withCandidates(open), ...grants }
  for (const requirement of open) {
    const rule = await consultRules(rules, 'deny', requirement)
    if (rule === 'error') return { decision: 'deny', reason: 'rule_error', requirement }
    if (rule !== 'none') return { decision: 'deny', reason: 'rule_denied', requirement, rule }
  }
  const unmet: Requirement[] = []
  let first: Rule | undefined
  for (const requirement of open) {
    const rule = await consultRules(rules, 'allow', requirement)
    if (rule === 'error') return { decision: 'deny', reason: 'rule_error', requirement }
    if (rule === 'none') unmet.push(requirement)
    else first ??= rule
  }
  if (unmet.length > 0) return { decision: 'ask', unmet, ...withCandidates(unmet), ...grants }
  return { decision: 'allow', ...(first === undefined ? {} : { rule: first }), ...grants }
}

function withCandidates(unmet: readonly Requirement[]): { readonly candidates?: readonly RuleCandidate[] } {
  const candidates = candidatesOf(unmet)
  return candidates.length === 0 ? {} : { candidates }
}

/** What configuration allows by itself needs no token; what a rule or a person allows does. */
function withGrants(open: readonly Requirement[]): { readonly grants?: readonly Requirement[] } {
  const grants = open.filter((requirement) => requirement.grantClass !== undefined)
  return grants.length === 0 ? {} : { grants }
}
