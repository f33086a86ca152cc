import type { Requirement, RuleCandidate, ToolRequest } from '@looprig/tools'
import { candidatesOf, dataKey } from './candidates.ts'
import { readRule } from './consult-rules.ts'
import type { Evaluation } from './gate.ts'
import { isGateTimeout } from './gate-options.ts'

const denyReasons: ReadonlySet<unknown> = new Set([
  'access_denied',
  'access_error',
  'rule_denied',
  'rule_error',
  'approval_required',
])

/**
 * Reads what a gate said of a request. Requirements and candidates of the answer are those of the request, whatever
 * objects the gate gave; `undefined` when the answer is none of the three or speaks of something that was not asked.
 */
export function checkEvaluation(request: ToolRequest, said: Evaluation): Evaluation | undefined {
  const { requirements } = request
  const { decision } = said
  if (decision === 'deny') {
    const requirement = among(requirements, [said.requirement])?.[0] ?? requirements[0]
    const { reason } = said
    if (requirement === undefined || !denyReasons.has(reason)) return undefined
    const rule = readRule(said.rule, 'deny')
    return { decision, reason, requirement, ...(rule === undefined ? {} : { rule }) }
  }
  if (decision !== 'allow' && decision !== 'ask') return undefined
  const grants = among(requirements, said.grants ?? [])
  if (grants?.every((requirement) => requirement.grantClass !== undefined) !== true) return undefined
  if (decision === 'allow') {
    const rule = readRule(said.rule, 'allow')
    return { decision, grants, ...(rule === undefined ? {} : { rule }) }
  }
  const { timeoutMs } = said
  const unmet = among(requirements, said.unmet)
  if (unmet === undefined || unmet.length === 0) return undefined
  const candidates = among(candidatesOf(unmet), said.candidates ?? [])
  if (candidates === undefined || (timeoutMs !== undefined && !isGateTimeout(timeoutMs))) return undefined
  return { decision, unmet, candidates, grants, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
}

/** Those of `all` that a gate named, in their order; nothing when it named another, or one twice. */
function among<T extends Requirement | RuleCandidate>(
  all: readonly T[],
  named: readonly T[],
): readonly T[] | undefined {
  const keys = new Set(named.map(dataKey))
  const found = all.filter((each) => keys.has(dataKey(each)))
  return found.length === named.length ? Object.freeze(found) : undefined
}
