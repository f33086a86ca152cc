/** What a journal leaves open, and what a restore makes of it: judged from the records alone. */
import {
  type LoopId,
  type StepId,
  type ToolExecutionId,
  type ToolResultMessage,
  type TurnId,
  textOf,
} from '@looprig/core'
import { expect } from 'vitest'
import type { StepBody, StepCallBody } from '../../src/journal/record-body.ts'
import { type AgentRequest, answerPattern, outcomeOf, requestsOf } from './agent-journal.ts'
import { eventsOf, ofLoop, type ReadRecord, stepsOf } from './journal-invariants.ts'

/** A turn that has not ended. */
export interface OpenTurn {
  readonly loopId: LoopId
  readonly turnId: TurnId
  /** The step that has a record and no `StepDone`. */
  readonly step: OpenStep | undefined
  /** It goes on under its own id; else it is closed as it stands. */
  readonly goesOn: boolean
  /** All that is left of it waits for people. */
  readonly waits: boolean
}

/** A step that has not ended. */
export interface OpenStep {
  readonly stepId: StepId
  readonly calls: readonly OpenCall[]
}

/** A call of such a step, and what it is told in the end. */
export interface OpenCall {
  readonly executionId: ToolExecutionId
  /** Its start is recorded. */
  readonly isStarted: boolean
  /** Its result is known already. */
  readonly isKnown: boolean
  /** The result, as far as it can be told: as a whole, or a pattern of its text. */
  readonly expected: ToolResultMessage | RegExp
}

/** The turns that a journal leaves open, in the order in which their loops started. */
export function openTurnsOf(records: readonly ReadRecord[]): readonly OpenTurn[] {
  const turns = eventsOf(records, 'LoopStarted').flatMap(({ loopId }) => openTurnOf(records, loopId) ?? [])
  const goesOn = turnsThatGoOn(records, turns)
  return turns.map(({ step: body, ...turn }) => {
    const calls = body?.calls.map((call) => openCall(records, body, call, goesOn)) ?? []
    const step = body === undefined ? undefined : { stepId: body.stepId, calls }
    const waits = body !== undefined && waitsForPeople(records, turns, body)
    return { ...turn, step, goesOn: goesOn.has(turn.loopId), waits }
  })
}

/** Checks what became of an open turn: one that goes on ends by itself, any other was interrupted. */
export function expectEnded(turn: OpenTurn, after: readonly ReadRecord[]): void {
  const end = after.find(({ id }) => id === `turn/${turn.turnId}/end`)
  const type = end?.kind === 'event' ? end.body.type : undefined
  expect(type).toBe(turn.goesOn ? 'TurnDone' : 'TurnInterrupted')
  if (turn.step !== undefined) expectClosed(turn.step, after)
}

/** Checks the results with which an open step ended. */
export function expectClosed({ stepId, calls }: OpenStep, after: readonly ReadRecord[]): void {
  const done = eventsOf(after, 'StepDone').find((event) => event.stepId === stepId)
  const [, ...results] = done?.messages ?? []
  expect(results).toHaveLength(calls.length)
  for (const [index, { expected }] of calls.entries()) {
    const result = results[index]
    if (!(expected instanceof RegExp)) expect(result).toEqual(expected)
    else {
      const text = textOf(result?.blocks ?? [])
      expect(text).toMatch(expected)
      expect(result?.isError).toBe(!/^(noted|nothing there|{"agent_id")/.test(text))
    }
  }
}

interface TurnRecords {
  readonly loopId: LoopId
  readonly turnId: TurnId
  readonly step: StepBody | undefined
}

function openTurnOf(records: readonly ReadRecord[], loopId: LoopId): TurnRecords | undefined {
  const own = ofLoop(records, loopId)
  const hasEnded = (id: string) => own.some((record) => record.id === `${id}/end`)
  const turn = eventsOf(own, 'TurnStarted').find(({ turnId }) => !hasEnded(`turn/${turnId}`))
  if (turn === undefined) return undefined
  const step = stepsOf(own).find(({ stepId }) => !hasEnded(`step/${stepId}`))
  return { loopId, turnId: turn.turnId, step }
}

/**
 * A turn goes on when people were asked, about itself or by agents that it waits for, and nothing of its step may have
 * happened unseen; an agent only together with the call that waits for it.
 */
function turnsThatGoOn(records: readonly ReadRecord[], turns: readonly TurnRecords[]): ReadonlySet<LoopId> {
  const going = new Set<LoopId>()
  // agents start after their callers
  for (const { loopId, step } of turns.toReversed()) {
    if (step === undefined || step.calls.some(({ executionId }) => isUnknown(records, executionId))) continue
    const awaited = awaitedOf(records, step)
    const isAsked = eventsOf(records, 'PermissionRequested').some((gate) => gate.stepId === step.stepId)
    if (awaited.every(({ agentId }) => going.has(agentId)) && (isAsked || awaited.length > 0)) going.add(loopId)
  }
  for (const { step } of turns) {
    for (const { agentId, caller } of step === undefined ? [] : awaitedOf(records, step)) {
      if (!going.has(caller.loopId)) going.delete(agentId)
    }
  }
  return going
}

/** Says whether the owner only waited: for a gate of the step, else for agents that only wait, with nothing beside them. */
function waitsForPeople(records: readonly ReadRecord[], turns: readonly TurnRecords[], step: StepBody): boolean {
  if (step.calls.some(({ executionId }) => isAtGate(records, executionId))) return true
  const awaited = awaitedOf(records, step)
  const ended = step.calls.filter(({ executionId, refused }) => {
    const isBackground = requestsOf(records).some((request) => isOf(request, executionId) && request.caller.background)
    return refused !== undefined || isBackground || records.some(({ id }) => id === `run/${executionId}/end`)
  })
  const agents = awaited.map(({ agentId }) => turns.find(({ loopId }) => loopId === agentId)?.step)
  return (
    awaited.length > 0 &&
    awaited.length + ended.length === step.calls.length &&
    agents.every((agent) => agent !== undefined && waitsForPeople(records, turns, agent))
  )
}

/** The requests to agents for whose outcome a step waits. */
function awaitedOf(records: readonly ReadRecord[], { stepId }: StepBody): readonly AgentRequest[] {
  return requestsOf(records).filter(
    (request) =>
      request.caller.stepId === stepId &&
      request.caller.background !== true &&
      outcomeOf(records, request) === undefined,
  )
}

function isOf({ caller }: AgentRequest, executionId: ToolExecutionId): boolean {
  return caller.toolExecutionId === executionId
}

function isUnknown(records: readonly ReadRecord[], executionId: ToolExecutionId): boolean {
  const has = (id: string) => records.some((record) => record.id === id)
  return has(`run/${executionId}`) && !has(`run/${executionId}/end`)
}

function isAtGate(records: readonly ReadRecord[], executionId: ToolExecutionId): boolean {
  const ofCall = (event: { readonly toolExecutionId: string }) => event.toolExecutionId === executionId
  return eventsOf(records, 'PermissionRequested').some(ofCall) && !eventsOf(records, 'GateResolved').some(ofCall)
}

function openCall(
  records: readonly ReadRecord[],
  { stepId }: StepBody,
  { executionId, refused }: StepCallBody,
  going: ReadonlySet<LoopId>,
): OpenCall {
  const bodyOf = (id: string) => records.find((record) => record.id === id)?.body
  const isStarted = bodyOf(`run/${executionId}`) !== undefined
  const known = (expected: OpenCall['expected']) => ({ executionId, isStarted, isKnown: true, expected })
  const open = (expected: RegExp) => ({ executionId, isStarted, isKnown: false, expected })
  if (refused !== undefined) return known(refused)
  const end = bodyOf(`run/${executionId}/end`)
  if (end !== undefined && 'result' in end) return known(end.result)
  if (isStarted) return open(/^outcome_unknown/)
  const request = requestsOf(records).find((each) => isOf(each, executionId))
  if (request?.caller.background === true) return known(/^{"agent_id"/)
  const outcome = request && outcomeOf(records, request)
  if (outcome !== undefined) return known(answerPattern(outcome))
  const resolved = eventsOf(records, 'GateResolved').find((event) => event.toolExecutionId === executionId)
  if (resolved?.action === 'deny') return known(/^permission denied/)
  const goesOn = stepsOf(records).some((step) => step.stepId === stepId && going.has(step.loopId))
  if (!goesOn) return open(request === undefined ? /^not_executed/ : /^agent interrupted/)
  if (request !== undefined) return open(/^{"agent_id"/)
  return open(isAtGate(records, executionId) ? /^(permission denied|noted)/ : /^(noted|nothing there)/)
}
