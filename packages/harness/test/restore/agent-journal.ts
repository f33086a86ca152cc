/** What a journal says of agents: who asked them, what became of that, and what their callers were told. */
import { type InputId, type LoopId, type TurnId, textOf } from '@looprig/core'
import { expect } from 'vitest'
import { handBackId } from '../../src/delegate/hand-back-id.ts'
import type { InputBody } from '../../src/journal/record-body.ts'
import { eventsOf, nameOf, type ReadRecord, stepsOf } from './journal-invariants.ts'

/** A request of a call to an agent. */
export interface AgentRequest {
  readonly inputId: InputId
  readonly agentId: LoopId
  readonly caller: NonNullable<InputBody['caller']>
}

/** What became of a request. */
export interface AgentOutcome {
  readonly seq: number
  /** Absent for a request that was dropped before its turn. */
  readonly turnId: TurnId | undefined
  readonly name: string
  /** The agent's last words. */
  readonly text: string
}

/** All requests to agents. */
export function requestsOf(records: readonly ReadRecord[]): readonly AgentRequest[] {
  return records.flatMap(({ id, kind, body }) => {
    if (kind !== 'input' || body.caller === undefined) return []
    // proved: the ids of input records are made of input ids
    return [{ inputId: id.slice('in/'.length) as InputId, agentId: body.loopId, caller: body.caller }]
  })
}

/** What became of a request; nothing while that is open. */
export function outcomeOf(records: readonly ReadRecord[], { inputId }: AgentRequest): AgentOutcome | undefined {
  const begun = [...eventsOf(records, 'TurnStarted'), ...eventsOf(records, 'TurnFoldedInto')]
  const turnId = begun.find((event) => event.inputId === inputId)?.turnId
  const id = turnId === undefined ? `in/${inputId}/end` : `turn/${turnId}/end`
  const end = records.find((record) => record.id === id)
  if (end === undefined) return undefined
  const last = eventsOf(records, 'StepDone').findLast((step) => step.turnId === turnId)
  return { seq: end.seq, turnId, name: nameOf(end), text: textOf(last?.messages[0].blocks ?? []) }
}

/** What a call that waits for its agent is told; a pattern. */
export function answerPattern({ name, text }: AgentOutcome): RegExp {
  if (name === 'TurnDone') return new RegExp(`^{"agent_id":.*"response_status":"completed".*"response":"${text}"`)
  return name === 'TurnFailed' ? /^agent failed/ : /^agent interrupted/
}

/** Checks what callers were told: of a request that was made the outcome is never unknown. */
export function expectAgentsWhole(records: readonly ReadRecord[]): void {
  for (const request of requestsOf(records)) {
    const { seq, text } = resultOf(records, request)
    const outcome = outcomeOf(records, request)
    if (request.caller.background === true) expect(text).toMatch(/^{"agent_id":.*"state":"working"/)
    else if (outcome === undefined) expect.fail('the call has its result before its agent has')
    else {
      expect(outcome.seq).toBeLessThan(seq)
      expect(text).toMatch(answerPattern(outcome))
    }
  }
  expectHandedBack(records)
}

/**
 * Checks that what an agent did in the background is told once, as soon as its turn has ended; a stop tells nothing.
 * Holds for every journal, at rest or not, since both are one append.
 */
export function expectHandedBack(records: readonly ReadRecord[]): void {
  const isStopped = records.some(({ id }) => id === 'session/end')
  const told = requestsOf(records)
    .filter(({ caller }) => caller.background === true)
    .map((request) => ({ ...request, outcome: outcomeOf(records, request) }))
    .filter(({ outcome }) => outcome !== undefined)
    .map(({ inputId, outcome }) => `in/${handBackId(outcome?.turnId ?? inputId)}`)
  const handed = records.filter(({ kind, body }) => kind === 'input' && 'from' in body && body.from !== undefined)
  const ids = handed.map(({ id }) => id)
  if (isStopped) expect(told).toEqual(expect.arrayContaining(ids))
  else expect(ids.toSorted()).toEqual([...new Set(told)].toSorted())
}

/** The result of the call that made a request. */
function resultOf(records: readonly ReadRecord[], { caller }: AgentRequest) {
  const step = stepsOf(records).find(({ stepId }) => stepId === caller.stepId)
  const index = step?.calls.findIndex(({ executionId }) => executionId === caller.toolExecutionId) ?? -1
  const done = eventsOf(records, 'StepDone').find(({ stepId }) => stepId === caller.stepId)
  const seq = records.find(({ id }) => id === `step/${caller.stepId}/end`)?.seq ?? 0
  return { seq, text: textOf(done?.messages[index + 1]?.blocks ?? []) }
}
