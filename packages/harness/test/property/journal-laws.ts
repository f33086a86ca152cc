/** What the journal of a session at rest keeps to, judged from its records and from what the tools did. */
import { addUsage, type LoopId, textOf, type Usage } from '@looprig/core'
import type { StoredRecord } from '@looprig/store'
import { expect } from 'vitest'
import type { EnduringBody } from '../../src/index.ts'
import { transcriptFault } from '../../src/testing/transcript-fault.ts'
import {
  eventsOf,
  ofLoop,
  type ReadRecord,
  readBodies,
  resolvedInputs,
  stepsOf,
  transcriptOf,
} from '../restore/journal-invariants.ts'
import type { Effects } from './played-tools.ts'

const terminals: readonly EnduringBody['type'][] = ['TurnDone', 'TurnFailed', 'TurnInterrupted']

/** Checks all of it; a failure names the law. */
export function expectLawful(stored: readonly StoredRecord[], effects: Effects): void {
  const records = readBodies(stored)
  expect(
    records.map(({ seq }) => seq),
    'seqs without a gap',
  ).toEqual(records.map((_, index) => index + 1))
  expect(new Set(records.map(({ id }) => id)).size, 'slots').toBe(records.length)
  expectResolvedOnce(records)
  for (const { loopId } of eventsOf(records, 'LoopStarted')) expectTurns(ofLoop(records, loopId))
  expectPairs(records)
  expectGates(records)
  expectEffects(records, effects)
  expectAgents(records)
  expectIdle(records)
}

/** Each input has one end, behind it, and nothing else has. */
function expectResolvedOnce(records: readonly ReadRecord[]): void {
  const inputs = records.flatMap(({ kind, id }) => (kind === 'input' ? [id.slice('in/'.length)] : []))
  expect(resolvedInputs(records).toSorted(), 'each input is resolved once').toEqual(inputs.toSorted())
  for (const inputId of inputs) {
    expect(seqOf(records, `in/${inputId}/end`), 'it is resolved after it was accepted').toBeGreaterThan(
      seqOf(records, `in/${inputId}`),
    )
  }
}

/** One turn after another, each with one end behind all of its steps. */
function expectTurns(own: readonly ReadRecord[]): void {
  let open: string | undefined
  let turns = 0
  let usage: Usage = {}
  for (const { kind, body } of own) {
    if (kind !== 'event') continue
    if (body.type === 'TurnStarted') {
      turns += 1
      expect([open, body.turnIndex], 'turns do not overlap').toEqual([undefined, turns])
      open = body.turnId
      usage = {}
    } else if ('turnId' in body) expect(body.turnId, body.type).toBe(open)
    if (body.type === 'StepDone') usage = addUsage(usage, body.messages[0].usage ?? {})
    if (body.type === 'TurnDone') expect(body.usage, 'usage').toEqual(usage)
    if (body.type === 'TurnFailed') {
      expect(body.error.code, 'the request was one that a provider takes').not.toBe('invalid_request')
    }
    if (terminals.includes(body.type)) open = undefined
  }
  expect(open, 'the last turn has ended').toBeUndefined()
  const next = { role: 'user', blocks: [{ type: 'text', text: 'and now?' }] } as const
  expect(transcriptFault([...transcriptOf(own), next])).toBeUndefined()
}

function expectPairs(records: readonly ReadRecord[]): void {
  for (const { messages } of eventsOf(records, 'StepDone')) {
    const [answer, ...results] = messages
    const calls = answer.blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
    expect(
      results.map(({ toolUseId }) => toolUseId),
      'one result per call, in order',
    ).toEqual(calls)
  }
  for (const { stepId } of stepsOf(records)) {
    expect(seqOf(records, `step/${stepId}/end`), 'a step that began has ended').toBeLessThan(Number.POSITIVE_INFINITY)
  }
}

/** Each gate is resolved once, within its step. */
function expectGates(records: readonly ReadRecord[]): void {
  const asked = [...eventsOf(records, 'PermissionRequested'), ...eventsOf(records, 'UserInputRequested')]
  const resolved = eventsOf(records, 'GateResolved')
  expect(resolved.map(({ gateId }) => gateId).toSorted(), 'each gate is resolved once').toEqual(
    asked.map(({ gateId }) => gateId).toSorted(),
  )
  for (const { gateId, stepId } of asked) {
    const seqs = [`step/${stepId}`, `gate/${gateId}`, `gate/${gateId}/end`, `step/${stepId}/end`]
    const found = seqs.map((id) => seqOf(records, id))
    expect(found, 'a gate is within its step').toEqual(found.toSorted((a, b) => a - b))
  }
}

/** What ran was recorded and allowed before, ran once, and the transcript says so. */
function expectEffects(records: readonly ReadRecord[], effects: Effects): void {
  const calls = stepsOf(records).flatMap((step) => {
    const done = eventsOf(records, 'StepDone').find(({ stepId }) => stepId === step.stepId)
    return step.calls.map((call, index) => ({ ...call, told: textOf(done?.messages[index + 1]?.blocks ?? []) }))
  })
  for (const [executionId, count] of effects) {
    expect(count, 'no call has its effect twice').toBe(1)
    expect(
      calls.map((call) => call.executionId),
      'what happened is in the journal',
    ).toContain(executionId)
    expect(seqOf(records, `run/${executionId}`), 'its start was recorded').toBeLessThan(Number.POSITIVE_INFINITY)
  }
  const approvals = eventsOf(records, 'GateResolved').filter(
    ({ action, reason }) => reason === 'rule' || action === 'approve' || action === 'approve_always',
  )
  for (const { executionId, name, told } of calls) {
    const didRun = effects.has(executionId)
    if (/ did it$/.test(told) && name !== 'look') expect(didRun, told).toBe(true)
    if (/^(not_executed|permission denied|stale|approval_expired|rule_not_saved)/.test(told))
      expect(didRun, told).toBe(false)
    if (name === 'never') expect(didRun, 'a denied call').toBe(false)
    if (didRun && name === 'ask') {
      expect(
        approvals.map((event) => event.toolExecutionId),
        'approved before',
      ).toContain(executionId)
    }
  }
}

/** A call that waits for its agent ends behind the agent's turn. */
function expectAgents(records: readonly ReadRecord[]): void {
  for (const { kind, id, body } of records) {
    if (kind !== 'input' || body.caller === undefined) continue
    const { stepId, toolExecutionId } = body.caller
    const step = stepsOf(records).find((each) => each.stepId === stepId)
    expect(
      step?.calls.map(({ executionId }) => executionId),
      'who asks an agent',
    ).toContain(toolExecutionId)
    expect(seqOf(records, id)).toBeLessThan(seqOf(records, `step/${stepId}/end`))
    const done = eventsOf(records, 'StepDone').find((event) => event.stepId === stepId)
    const index = step?.calls.findIndex(({ executionId }) => executionId === toolExecutionId) ?? -1
    const told = textOf(done?.messages[index + 1]?.blocks ?? [])
    expect(told, 'what became of an agent is known').not.toMatch(/outcome_unknown|not_executed/)
  }
}

/** The session is told active and idle by turns, and each loop rests at the end. */
function expectIdle(records: readonly ReadRecord[]): void {
  const states = records.flatMap(({ kind, body }) =>
    kind === 'event' && (body.type === 'SessionActive' || body.type === 'SessionIdle') ? [body.type] : [],
  )
  expect(states, 'active and idle by turns').toEqual(
    states.map((_, index) => (index % 2 === 0 ? 'SessionActive' : 'SessionIdle')),
  )
  expect(states.length % 2, 'idle at the end').toBe(0)
  for (const { loopId } of eventsOf(records, 'LoopStarted')) expectLoopIdle(ofLoop(records, loopId), loopId)
}

function expectLoopIdle(own: readonly ReadRecord[], loopId: LoopId): void {
  const last = own.findLast(
    ({ kind, body }) => kind === 'event' && (body.type === 'TurnStarted' || body.type === 'LoopIdle'),
  )
  if (last?.kind === 'event') expect(last.body.type, `${loopId} rests`).toBe('LoopIdle')
}

function seqOf(records: readonly ReadRecord[], id: string): number {
  return records.find((record) => record.id === id)?.seq ?? Number.POSITIVE_INFINITY
}
