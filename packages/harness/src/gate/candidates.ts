import { canonicalJson, type JsonValue } from '@looprig/core'
import type { Requirement, RuleCandidate } from '@looprig/tools'

/** All candidates of some requirements, each once, in request order. */
export function candidatesOf(requirements: readonly Requirement[]): readonly RuleCandidate[] {
  const byKey = new Map<string, RuleCandidate>()
  for (const candidate of requirements.flatMap((requirement) => requirement.candidates ?? [])) {
    const key = dataKey(candidate)
    if (!byKey.has(key)) byKey.set(key, candidate)
  }
  return Object.freeze([...byKey.values()])
}

/** What makes two requirements, or two candidates, the same: all that they say. */
export function dataKey(data: Requirement | RuleCandidate): string {
  return canonicalJson(data as unknown as JsonValue) // proved for ours by the frozen copy; else it throws or differs
}
