import { canonicalJson, type JsonValue } from '@looprig/core'
import type { Requirement, ToolRequest } from '@looprig/tools'
import type { Evaluation } from './gate.ts'

const denyReasons: ReadonlySet<unknown> = new Set(['access_denied', 'access_error', 'approval_required'])

/**
 * Reads what a gate said of a request. The requirements of the answer are those of the request, whatever objects the
 * gate gave; `undefined` when the answer is none of the three or speaks of something that was not asked.
 */
export function checkEvaluation(request: ToolRequest, said: Evaluation): Evaluation | undefined {
  const { requirements } = request
  if (said.decision === 'allow') return { decision: 'allow' }
  if (said.decision === 'deny') {
    const requirement = among(requirements, [said.requirement])[0] ?? requirements[0]
    if (requirement === undefined || !denyReasons.has(said.reason)) return undefined
    return { decision: 'deny', reason: said.reason, requirement }
  }
  if (said.decision !== 'ask') return undefined
  const unmet = among(requirements, said.unmet)
  return unmet.length > 0 && unmet.length === said.unmet.length ? { decision: 'ask', unmet } : undefined
}

/** The requirements of a request that a gate named, in request order. */
function among(requirements: readonly Requirement[], named: readonly Requirement[]): readonly Requirement[] {
  const keys = new Set(named.map(requirementKey))
  return Object.freeze(requirements.filter((requirement) => keys.has(requirementKey(requirement))))
}

function requirementKey(requirement: Requirement): string {
  return canonicalJson(requirement as unknown as JsonValue) // proved for ours by the frozen copy; else it throws or differs
}
