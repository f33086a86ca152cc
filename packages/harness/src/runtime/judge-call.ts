import type { Requirement, ToolRequest } from '@looprig/tools'
import type { Clock } from '../clock/clock.ts'
import { saidAtOnce } from '../error/said-at-once.ts'
import { checkEvaluation } from '../gate/check-evaluation.ts'
import type { Evaluation, Gate } from '../gate/gate.ts'
import { maxGateMs, withinBound } from './within-bound.ts'

/** What the runtime makes of a gate's word: of a gate that is missing or broken, a denial. */
export type Decision =
  | Evaluation
  | { readonly decision: 'deny'; readonly reason: 'access_gate_missing'; readonly requirement: Requirement }

/** A decision, and the confinement on which it rests. */
export interface Judgement {
  readonly decision: Decision
  readonly fingerprint: string | undefined
}

/**
 * Has a gate judge a request, once. A gate that is not there, that throws, and that says what nobody asked for denies;
 * so does one without anybody to ask that asks, and one that says nothing for 30 s. The wait ends with the signal.
 */
export async function judgeCall(
  gate: Gate | undefined,
  request: ToolRequest,
  signal: AbortSignal,
  clock: Clock,
): Promise<Judgement> {
  const [requirement] = request.requirements
  if (requirement === undefined) return { decision: { decision: 'allow' }, fingerprint: undefined }
  if (gate === undefined) {
    return { decision: { decision: 'deny', reason: 'access_gate_missing', requirement }, fingerprint: undefined }
  }
  const broken: Decision = { decision: 'deny', reason: 'access_error', requirement }
  try {
    const said = await withinBound(clock, maxGateMs, gate.evaluate(request), signal)
    const decision = (said ? checkEvaluation(request, said) : undefined) ?? broken
    const fingerprint = saidAtOnce(gate.fingerprint?.(request))
    if (fingerprint !== undefined && typeof fingerprint !== 'string')
      return { decision: broken, fingerprint: undefined }
    if (decision.decision !== 'ask' || gate.headless !== true) return { decision, fingerprint }
    const [unmet = requirement] = decision.unmet
    return { decision: { decision: 'deny', reason: 'approval_required', requirement: unmet }, fingerprint }
  } catch {
    return { decision: broken, fingerprint: undefined }
  }
}
