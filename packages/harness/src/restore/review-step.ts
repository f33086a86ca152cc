import type { ToolExecutionId } from '@looprig/core'
import { errorResult, type Requirement, type ToolResult } from '@looprig/tools'
import type { IdSource } from '../clock/id-source.ts'
import type { GateResolved } from '../event/gate-event.ts'
import { dataKey } from '../gate/candidates.ts'
import { expiryOf } from '../gate/gate-directory.ts'
import { timedOut } from '../gate/gate-expiry.ts'
import { openGate } from '../gate/open-gate.ts'
import type { StepCallBody } from '../journal/record-body.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import { askPerson } from '../runtime/ask-person.ts'
import { decided, resultCap } from '../runtime/decide-calls.ts'
import { deniedResult, unavailableResult } from '../runtime/denial.ts'
import { permissionGate, questionGate } from '../runtime/due-gate.ts'
import { approve } from '../runtime/gate-listener.ts'
import { gateResult, isApproval } from '../runtime/gate-result.ts'
import { judgedGate } from '../runtime/judged-gate.ts'
import type { OpenStep } from '../runtime/open-step.ts'
import { shapeResult } from '../runtime/result-message.ts'
import { staleResult } from '../runtime/stale-result.ts'
import { isRunnable, newStepCall, type StepCall } from '../runtime/step-call.ts'
import type { TurnHost } from '../runtime/turn-host.ts'
import type { ClosedGateFold, StoredGate } from './gate-fold.ts'
import type { StepFold } from './loop-fold.ts'
import { knownResult } from './repair.ts'
import { type ReviewedCall, type ReviewParts, reviewCall } from './review-call.ts'

/** What a restore reviews an open step with. */
export interface ReviewHost extends Omit<ReviewParts, 'gate'> {
  /** As it is in force for the step's turn. */
  readonly loop: LoopDefinition
  readonly ids: IdSource
  /** The store's time. */
  readonly now: number
  /** How long an approval counts that no process has spent yet. */
  readonly approvalTtlMs: number
}

/** An open step that goes on. */
export interface ReviewedStep {
  readonly step: OpenStep
  /** What the restore adds to its one append: gates that are closed by their time, or by what the policy says now. */
  readonly events: readonly GateResolved[]
  /** Gates of the step stay open. */
  readonly isWaiting: boolean
  /** When the first of them is over, in the store's time. */
  readonly wakeAt: number | null
  /** Opens again, at once, the gates that are still open, and waits until each is answered or the turn is stopped. */
  ask(host: TurnHost): Promise<void>
}

/**
 * Says whether an open step goes on under its own ids after a restart: people were asked about it, and nothing of it may
 * have begun without being known to have ended. A question of a running tool ends with its process, so such a step is
 * closed. What waits for agents that go on goes on too: people were asked by them.
 */
export function mayGoOn({ gates, runs, ends }: StepFold, waitsForAgents = false): boolean {
  return (gates.hasAsked || waitsForAgents) && !gates.hasLive && [...runs].every((executionId) => ends.has(executionId))
}

/**
 * Decides how an open step goes on. A call whose result is known keeps it. Every other one is prepared again from its
 * stored arguments and judged again, once per restore: a denial now wins; an approval counts only for exactly what was
 * approved, and for a while; a gate that is open stays open while a person is still needed.
 */
export async function reviewStep(fold: StepFold, host: ReviewHost): Promise<ReviewedStep> {
  const { loopId, turnId, stepId, message, calls } = fold.body
  const scope = { loopId, turnId, stepId }
  const events: GateResolved[] = []
  const step: OpenStep = {
    scope,
    message,
    calls: calls.map((call) => newStepCall({ ...call, tool: host.tools.get(call.name) })),
    decisions: [],
    recorded: true,
    closed: false,
  }
  // at the same time, so that a tool or a gate that hangs holds up a restore once
  await Promise.all(
    calls.filter((body) => isReviewed(fold, body, host.now)).map((body) => reviewBody(fold, host, body)),
  )
  for (const [index, body] of calls.entries()) {
    const call = step.calls[index]
    if (call === undefined) continue
    const known = knownResult(fold, body)
    if (known !== undefined) call.result = { message: known, code: undefined }
    else await reviewOne({ fold, host, step, call, body, events })
  }
  const open = step.calls.flatMap(({ gate }) => (gate?.state === 'open' ? [openGate(gate.asked, gate.at)] : []))
  const expiries = open.flatMap((gate) => expiryOf(gate) ?? [])
  return {
    step,
    events,
    isWaiting: open.length > 0,
    wakeAt: expiries.length === 0 ? null : Math.min(...expiries),
    ask: (turn) => askPerson(turn, step),
  }
}

/** Whether a call has to be prepared and judged again: nothing is known of it, and its gate is not over. */
function isReviewed(fold: StepFold, body: StepCallBody, now: number): boolean {
  const asked = fold.gates.openOf(body.executionId)
  return knownResult(fold, body) === undefined && (asked === undefined || !isOver(asked, now))
}

function reviewBody(fold: StepFold, host: ReviewHost, body: StepCallBody): Promise<ReviewedCall> {
  const { executionId } = body
  // exactly those that are compared with what was shown; one that a rule let through is decided as if it were new
  const wasAsked = fold.gates.openOf(executionId) !== undefined || approvalOf(fold, executionId) !== undefined
  return reviewCall({ ...host, gate: host.loop.gate }, body, wasAsked)
}

/** One call under review. */
interface CallReview {
  readonly fold: StepFold
  readonly host: ReviewHost
  readonly step: OpenStep
  readonly call: StepCall
  readonly body: StepCallBody
  readonly events: GateResolved[]
}

async function reviewOne(review: CallReview): Promise<void> {
  const { fold, host, call, body } = review
  const asked = fold.gates.openOf(body.executionId)
  if (asked !== undefined && isOver(asked, host.now)) {
    close(review, asked, timedOut(openGate(asked, asked.createdAt)))
    return
  }
  const reviewed = await reviewBody(fold, host, body)
  if (reviewed.outcome === 'prepared') {
    const { decision, fingerprint } = reviewed.judged
    call.prepared = reviewed.call
    call.fingerprint = fingerprint
    if (decision.decision !== 'deny') call.grants = decision.grants ?? []
  }
  if (asked !== undefined) reviewOpen(review, asked, reviewed)
  else {
    const approval = approvalOf(fold, body.executionId)
    if (approval === undefined) reviewUnasked(review, reviewed)
    else reviewApproval(review, approval, reviewed)
  }
}

/** An open gate: closed by what the policy says now, or open as before. */
function reviewOpen(review: CallReview, asked: StoredGate, reviewed: ReviewedCall): void {
  const { host, call } = review
  const isHeadless = host.loop.gate?.headless === true
  const event = reviewed.outcome === 'prepared' ? judgedGate(asked, reviewed.judged.decision) : undefined
  const isSame = asked.type === 'UserInputRequested' || isUnchanged(review, asked, reviewed)
  if (event?.reason === 'denied') close(review, asked, event)
  else if (isHeadless) close(review, asked, { ...closing(asked), reason: 'denied', denial: 'approval_required' })
  else if (event?.reason === 'rule' && asked.type === 'PermissionRequested' && isSame) {
    close(review, asked, event)
    approve(host, review.step, call)
  } else {
    call.gate = { asked, state: 'open', at: asked.createdAt }
    call.isStale = !isSame
  }
}

/** An approval that no process has spent. */
function reviewApproval(review: CallReview, { asked, event }: ClosedGateFold, reviewed: ReviewedCall): void {
  const { host, step, call } = review
  const { decision } = reviewed.outcome === 'prepared' ? reviewed.judged : {}
  if (decision?.decision === 'deny') deny(review, decision)
  else if (!isUnchanged(review, asked, reviewed)) refuse(review, staleResult())
  else if (host.now - event.createdAt > host.approvalTtlMs) refuse(review, expiredResult())
  // what an unspent approval was to save may not be written yet; where it is, writing it again changes nothing
  else if (event.action === 'approve_always' && asked.type === 'PermissionRequested')
    call.saving = asked.candidates ?? []
  else approve(host, step, call)
}

/** A call that nobody was asked about, or whose gate a rule closed: decided as if it were new. */
function reviewUnasked(review: CallReview, reviewed: ReviewedCall): void {
  const { host, step, call } = review
  if (reviewed.outcome === 'refused') {
    refuse(review, reviewed.result)
    return
  }
  const { decision } = reviewed.judged
  if (decision.decision === 'deny') deny(review, decision)
  else if (!isRunnable(call)) return
  else if (decision.decision === 'ask') {
    call.gate = permissionGate(host.ids, step.scope, call, decision, host.loop.gate)
  } else if (reviewed.call.question === undefined) return
  else if (host.loop.gate?.headless === true) refuse(review, unavailableResult())
  else call.gate = questionGate(host.ids, step.scope, call, reviewed.call.question, host.loop.gate)
}

/** Whether a call would do exactly what a person was asked about, and needs nothing else than that. */
function isUnchanged({ body }: CallReview, asked: StoredGate, reviewed: ReviewedCall): boolean {
  if (reviewed.outcome === 'refused' || reviewed.judged.digest !== body.digest) return false
  const { decision } = reviewed.judged
  return decision.decision !== 'ask' || asked.type === 'UserInputRequested' || covers(asked.unmet, decision.unmet)
}

function covers(shown: readonly Requirement[], unmet: readonly Requirement[]): boolean {
  const keys = new Set(shown.map(dataKey))
  return unmet.every((requirement) => keys.has(dataKey(requirement)))
}

function isOver(asked: StoredGate, now: number): boolean {
  return now >= (expiryOf(openGate(asked, asked.createdAt)) ?? Number.POSITIVE_INFINITY)
}

function approvalOf({ gates }: StepFold, executionId: ToolExecutionId): ClosedGateFold | undefined {
  const closed = gates.closed.get(executionId) ?? []
  return closed.find(({ asked, event }) => asked.type === 'PermissionRequested' && isApproval(asked, event))
}

function close({ step, call, events }: CallReview, asked: StoredGate, event: GateResolved): void {
  events.push(event)
  call.result = gateResult({ asked, event }, call.toolUseId, step.calls.length)
}

function closing({ loopId, turnId, stepId, gateId, toolExecutionId }: StoredGate) {
  return { type: 'GateResolved', loopId, turnId, stepId, gateId, toolExecutionId } as const
}

function deny(review: CallReview, decision: Parameters<typeof decided>[2] & { readonly decision: 'deny' }): void {
  review.step.decisions.push(decided(review.step.scope, review.call, decision))
  refuse(review, deniedResult(decision.reason, decision.requirement.description))
}

function refuse({ host, step, call }: CallReview, result: ToolResult): void {
  call.result = shapeResult(call.toolUseId, result, resultCap(host, step.calls.length))
}

function expiredResult(): ToolResult {
  return errorResult(
    'approval_expired',
    'approval_expired: the approval was given too long ago; the call did not run. Call again to ask anew.',
  )
}
