import type { LoopId } from '@looprig/core'
import type { Clock } from '../clock/clock.ts'
import type { IdSource } from '../clock/id-source.ts'
import type { HandBack } from '../delegate/hand-back.ts'
import {
  agentsFirst,
  agentsOfStep,
  callerGoesOn,
  closeRequests,
  type GoesOn,
  handBackClosed,
  isKept,
} from '../delegate/open-agents.ts'
import type { EnduringBody } from '../event/event.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import { findMode } from '../loop/effective-loop.ts'
import type { SessionStatus } from '../rig/session-head.ts'
import { bindConfig, type LoopTools } from '../runtime/loop-config.ts'
import type { ResumedTurn } from '../runtime/loop-state.ts'
import { isRunnable } from '../runtime/step-call.ts'
import type { LoopFold, TurnFold } from './loop-fold.ts'
import { closeTurn } from './repair.ts'
import type { ReviewMemory } from './review-call.ts'
import { mayGoOn, type ReviewedStep, reviewStep } from './review-step.ts'
import type { SessionFold } from './session-fold.ts'

/** A loop of the session with the definition and the tools that it has now. */
export interface BoundLoop {
  readonly definition: LoopDefinition
  readonly tools: LoopTools
}

/** What a plan is made from. */
export interface PlanParts {
  readonly fold: SessionFold
  readonly loops: ReadonlyMap<LoopId, BoundLoop>
  readonly clock: Clock
  readonly ids: IdSource
  readonly approvalTtlMs: number
  /** Kept over all plans of one restore. */
  readonly memory: ReviewMemory
  /** The store's time. */
  readonly now: number
}

/** What a restore does with the turns that it found open. */
export interface RepairPlan {
  /** All that has to be written, in order. */
  readonly events: readonly EnduringBody[]
  /** What tells loops of agents whose turns are closed; written behind the events. */
  readonly handBacks: readonly HandBack[]
  /** The turns that go on under their own ids, once that is written. */
  readonly resumed: ReadonlyMap<LoopId, ResumedTurn>
  readonly status: SessionStatus
  /** When the session has work should it lose its owner again, in the store's time. */
  readonly wakeAt: number | null
}

/**
 * Decides, for every open turn, whether it goes on or is closed. A turn goes on where people were asked, by itself or by
 * agents that it waits for, and nothing of the step may have happened unseen; else it is closed by what is known of each
 * call. Agents come before the loops that started them: what becomes of them is the result of a call.
 */
export async function planRepair(parts: PlanParts): Promise<RepairPlan> {
  const { fold } = parts
  const reviews = await reviewTurns(parts)
  const goesOn = (loopId: LoopId) => reviews.has(loopId)
  const events: EnduringBody[] = []
  const handBacks: HandBack[] = []
  const resumed = new Map<LoopId, ResumedTurn>()
  let closed = 0
  for (const loop of agentsFirst(fold)) {
    const { turn } = loop
    if (turn === undefined) continue
    const reviewed = reviews.get(loop.loopId)
    if (reviewed === undefined) {
      const requests = turn.step === undefined ? undefined : closeRequests(fold, turn.step, goesOn)
      const results = requests?.results ?? new Map()
      const ended = closeTurn(loop, turn, { results, keeps: (inputId) => isKept(fold, inputId) })
      events.push(...(requests?.events ?? []), ...ended)
      handBacks.push(...handBackClosed(fold, loop, turn))
      closed += 1
    } else {
      events.push(...reviewed.events)
      resumed.set(loop.loopId, { turn, progress: turn, step: reviewed.step, ask: reviewed.ask })
    }
  }
  if (closed > 0 && resumed.size === 0) events.push({ type: 'SessionIdle' })
  return { events, handBacks, resumed, ...standing(parts, reviews, events, handBacks) }
}

/** The turns that go on. An agent goes on only with the call that waits for it, and that call only with its agent. */
async function reviewTurns(parts: PlanParts): Promise<ReadonlyMap<LoopId, ReviewedStep>> {
  const { fold } = parts
  const reviews = new Map<LoopId, ReviewedStep>()
  const goesOn = (loopId: LoopId) => reviews.has(loopId)
  const loops = agentsFirst(fold)
  for (const loop of loops) {
    const reviewed = loop.turn === undefined ? undefined : await reviewTurn(parts, loop, loop.turn, goesOn)
    if (reviewed !== undefined) reviews.set(loop.loopId, reviewed)
  }
  for (const { loopId, turn } of loops.toReversed()) {
    if (turn !== undefined && !callerGoesOn(fold, turn, goesOn)) reviews.delete(loopId)
  }
  return reviews
}

/** The open step of a turn as it goes on; nothing when the turn is to be closed. */
async function reviewTurn(
  parts: PlanParts,
  loop: LoopFold,
  turn: TurnFold,
  goesOn: GoesOn,
): Promise<ReviewedStep | undefined> {
  const bound = parts.loops.get(loop.loopId)
  if (bound === undefined || turn.step === undefined) return undefined
  const agents = agentsOfStep(parts.fold, turn.step, goesOn)
  if (agents === 'end' || !mayGoOn(turn.step, agents === 'go_on')) return undefined
  // the rig was adopted without the mode that the turn began in
  if (findMode(bound.definition, turn.choice.mode) === undefined) return undefined
  const { loop: effective, tools } = bindConfig(bound.definition, bound.tools, turn.choice)
  const reviewed = await reviewStep(turn.step, { ...parts, loop: effective, tools })
  if (agents === 'none') return reviewed
  // a call that waits for its agent is taken up again as it was
  const waiting = reviewed.step.calls.filter(({ executionId }) => turn.step?.agents.has(executionId) === true)
  const isWhole = waiting.every((call) => call.result !== undefined || isRunnable(call))
  const isWaiting = reviewed.step.calls.every((call) => call.result !== undefined || waiting.includes(call))
  return isWhole ? { ...reviewed, isWaiting: reviewed.isWaiting || isWaiting } : undefined
}

/** Where the session stands after the repair. What waits behind a turn that waits for people is no work, nor is what it drops. */
function standing(
  { fold, loops }: PlanParts,
  reviews: ReadonlyMap<LoopId, ReviewedStep>,
  events: readonly EnduringBody[],
  handBacks: readonly HandBack[],
): Pick<RepairPlan, 'status' | 'wakeAt'> {
  const reviewed = [...reviews.values()]
  const dropped = new Set(events.flatMap((event) => (event.type === 'InputCancelled' ? [event.inputId] : [])))
  const isWork = [...fold.loops.values()].some(({ loopId, queue }) => {
    // nor is what waits for a loop that the rig has no more
    if (!loops.has(loopId) || reviews.has(loopId)) return false
    const isLeft = [...queue.keys()].some((inputId) => !dropped.has(inputId))
    return isLeft || handBacks.some(({ body }) => body.loopId === loopId)
  })
  const works = isWork || reviewed.some(({ isWaiting }) => !isWaiting)
  const times = reviewed.flatMap(({ wakeAt }) => wakeAt ?? [])
  const wakeAt = works ? 0 : times.length === 0 ? null : Math.min(...times)
  if (reviewed.some(({ step }) => step.calls.some(({ gate }) => gate?.state === 'open')))
    return { status: 'waiting', wakeAt }
  if (works) return { status: 'running', wakeAt }
  const hasClosed = events.some(({ type }) => type === 'TurnInterrupted')
  return { status: hasClosed ? 'interrupted' : fold.status, wakeAt }
}
