import type { ToolExecutionId } from '@looprig/core'
import { type Tool, type ToolResult, thrownResult } from '@looprig/tools'
import type { Clock } from '../clock/clock.ts'
import type { Gate } from '../gate/gate.ts'
import type { StepCallBody } from '../journal/record-body.ts'
import { type FrozenCall, freezeCall } from '../runtime/freeze-call.ts'
import { type Decision, judgeCall } from '../runtime/judge-call.ts'
import { staleResult } from '../runtime/stale-result.ts'
import { callDigest } from '../runtime/step-call.ts'
import { untilAborted } from '../runtime/until-aborted.ts'

/** A call of an earlier process, prepared and judged again. */
export type ReviewedCall =
  | { readonly outcome: 'prepared'; readonly call: FrozenCall; readonly judged: ReviewJudgement }
  /** It cannot be prepared any more. */
  | { readonly outcome: 'refused'; readonly result: ToolResult }

/** What the gate says now, and what the call is bound to now. */
export interface ReviewJudgement {
  readonly decision: Decision
  readonly fingerprint: string | undefined
  readonly digest: string
}

/** The reviews of one restore: a call is prepared and judged once, however often the repair is decided. */
export type ReviewMemory = Map<`${'asked' | 'unasked'} ${ToolExecutionId}`, Promise<ReviewedCall>>

/** What a review needs. */
export interface ReviewParts {
  readonly tools: ReadonlyMap<string, Tool>
  readonly gate: Gate | undefined
  readonly clock: Clock
  readonly memory: ReviewMemory
}

/** How long a tool and a gate may take for one call: nobody is there who could interrupt a restore. */
const maxReviewMs = 30_000

/**
 * Prepares a call again from its stored arguments and has the gate judge it again. Never rejects.
 *
 * @param wasAsked - a person was asked about it: then it counts only if its digest is equal to the stored one.
 */
export function reviewCall(parts: ReviewParts, call: StepCallBody, wasAsked: boolean): Promise<ReviewedCall> {
  const key = `${wasAsked ? 'asked' : 'unasked'} ${call.executionId}` as const
  const known = parts.memory.get(key)
  if (known !== undefined) return known
  const review = prepareAgain(parts, call, wasAsked)
  parts.memory.set(key, review)
  return review
}

async function prepareAgain(parts: ReviewParts, call: StepCallBody, wasAsked: boolean): Promise<ReviewedCall> {
  const tool = parts.tools.get(call.name)
  if (tool === undefined) return { outcome: 'refused', result: staleResult() }
  const stop = new AbortController()
  const cancel = parts.clock.setTimer(maxReviewMs, () => stop.abort())
  try {
    const { executionId, toolUseId, argsJson } = call
    const asked = wasAsked ? { askedBefore: true as const } : {}
    const context = { executionId, toolUseId, signal: stop.signal, ...asked }
    const prepared = await untilAborted(tool.prepareCall(context, argsJson), stop.signal)
    const frozen = freezeCall(tool, prepared)
    const { decision, fingerprint } = await judgeCall(parts.gate, frozen.request, stop.signal, parts.clock)
    const digest = callDigest(tool, frozen, fingerprint)
    return { outcome: 'prepared', call: frozen, judged: { decision, fingerprint, digest } }
  } catch (error) {
    return { outcome: 'refused', result: thrownResult(error) }
  } finally {
    cancel()
  }
}
