/** What every journal of the rich session keeps to, judged from its records alone. */
import type { Message, ToolResultMessage } from '@looprig/core'
import { textOf } from '@looprig/core'
import type { StoredRecord } from '@looprig/store'
import { expect } from 'vitest'
import type { EnduringBody } from '../../src/index.ts'
import type { InputBody, RunBody, RunEndBody, StepBody } from '../../src/journal/record-body.ts'
import { transcriptFault } from '../../src/testing/transcript-fault.ts'

/** A record with its body read. */
export type ReadRecord = { readonly seq: number; readonly id: string } & (
  | { readonly kind: 'event'; readonly body: EnduringBody }
  | { readonly kind: 'input'; readonly body: InputBody }
  | { readonly kind: 'step'; readonly body: StepBody }
  | { readonly kind: 'run'; readonly body: RunBody | RunEndBody }
)

/** Reads bodies as they are, past the codec that is under test. */
export function readBodies(records: readonly StoredRecord[]): readonly ReadRecord[] {
  return records.map(({ seq, id, kind, body }): ReadRecord => ({ seq, id, kind, body: JSON.parse(body) }))
}

/** The type of an event, the kind of another record. */
export function nameOf({ kind, body }: ReadRecord): string {
  return kind === 'event' ? body.type : kind
}

/** The events of one type. */
export function eventsOf<T extends EnduringBody['type']>(records: readonly ReadRecord[], type: T) {
  return records
    .flatMap(({ kind, body }) => (kind === 'event' ? [body] : []))
    .filter((body): body is Extract<EnduringBody, { readonly type: T }> => body.type === type)
}

/** The inputs that were resolved, in the order in which that happened. */
export function resolvedInputs(records: readonly ReadRecord[]): readonly string[] {
  const resolutions: readonly EnduringBody['type'][] = ['TurnStarted', 'TurnFoldedInto', 'TurnRejected', 'InputCancelled']
  return records.flatMap(({ kind, body }) =>
    kind === 'event' && resolutions.includes(body.type) && 'inputId' in body ? [body.inputId] : [],
  )
}

/** The steps that were recorded before they ran. */
export function stepsOf(records: readonly ReadRecord[]): readonly StepBody[] {
  return records.flatMap(({ kind, body }) => (kind === 'step' ? [body] : []))
}

/** The transcript that the events tell. */
export function transcriptOf(records: readonly ReadRecord[]): readonly Message[] {
  return records.flatMap(({ kind, body }): readonly Message[] => {
    if (kind !== 'event') return []
    if (body.type === 'StepDone') return body.messages
    return body.type === 'TurnStarted' || body.type === 'TurnFoldedInto' ? [body.message] : []
  })
}

/** Checks a journal at rest: nothing is open in it, and everything is there once. */
export function expectWhole(records: readonly ReadRecord[]): void {
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1))
  expect(new Set(records.map(({ id }) => id)).size).toBe(records.length)
  const ids = (kind: StoredRecord['kind'], prefix: string) =>
    records.filter((record) => record.kind === kind && record.id.startsWith(prefix)).map(({ id }) => id)
  const ends = (prefix: string) => ids('event', prefix).filter((id) => id.endsWith('/end'))

  const turns = eventsOf(records, 'TurnStarted').map(({ turnId }) => `turn/${turnId}/end`)
  expect(ends('turn/').toSorted()).toEqual(turns.toSorted())
  expect(ends('in/').toSorted()).toEqual(
    ids('input', 'in/')
      .map((id) => `${id}/end`)
      .toSorted(),
  )
  expect(ends('step/')).toEqual(expect.arrayContaining(ids('step', 'step/').map((id) => `${id}/end`)))
  const gates = eventsOf(records, 'PermissionRequested').map(({ gateId }) => `gate/${gateId}/end`)
  expect(ends('gate/').toSorted()).toEqual(gates.toSorted())
  for (const { messages } of eventsOf(records, 'StepDone')) {
    const [answer, ...results] = messages
    const calls = answer.blocks.filter((block) => block.type === 'tool_use')
    expect(results.map((result) => result.toolUseId)).toEqual(calls.map((call) => call.id))
  }
  const transcript = transcriptOf(records)
  const ended: readonly Message[] = [...transcript, { role: 'user', blocks: [{ type: 'text', text: 'and now?' }] }]
  expect(transcriptFault(ended)).toBeUndefined()
}

/**
 * The step that a journal leaves open, and what becomes of its calls: judged from the records alone. It goes on when
 * people were asked and nothing of it may have happened unseen; else it is closed. A text is a pattern of the result.
 */
export function openStepOf(records: readonly ReadRecord[]) {
  const closed = new Set(eventsOf(records, 'StepDone').map(({ stepId }) => stepId))
  const open = stepsOf(records).find(({ stepId }) => !closed.has(stepId))
  if (open === undefined) return undefined
  const { stepId, calls } = open
  const bodyOf = (id: string) => records.find((record) => record.id === id)?.body
  const isAsked = eventsOf(records, 'PermissionRequested').some((gate) => gate.stepId === stepId)
  const isUnknown = calls.some(({ executionId }) => {
    return bodyOf(`run/${executionId}`) !== undefined && bodyOf(`run/${executionId}/end`) === undefined
  })
  const goesOn = isAsked && !isUnknown
  const expected = calls.map(({ executionId, refused }): ToolResultMessage | string => {
    if (refused !== undefined) return refused
    const end = bodyOf(`run/${executionId}/end`)
    if (end !== undefined && 'result' in end) return end.result
    if (bodyOf(`run/${executionId}`) !== undefined) return 'outcome_unknown'
    const ofCall = ({ toolExecutionId }: { readonly toolExecutionId: string }) => toolExecutionId === executionId
    const resolved = eventsOf(records, 'GateResolved').find(ofCall)
    if (resolved?.action === 'deny') return 'permission denied'
    if (!goesOn) return 'not_executed'
    const isOpen = resolved === undefined && eventsOf(records, 'PermissionRequested').some(ofCall)
    return isOpen ? '(permission denied|noted)' : '(noted|nothing there)'
  })
  return { stepId, goesOn, expected }
}

/** Checks the results with which an open step ended. */
export function expectClosed(open: NonNullable<ReturnType<typeof openStepOf>>, after: readonly ReadRecord[]): void {
  const done = eventsOf(after, 'StepDone').find(({ stepId }) => stepId === open.stepId)
  const [, ...results] = done?.messages ?? []
  expect(results).toHaveLength(open.expected.length)
  for (const [index, expected] of open.expected.entries()) {
    const result = results[index]
    if (typeof expected !== 'string') expect(result).toEqual(expected)
    else {
      const text = textOf(result?.blocks ?? [])
      expect(text).toMatch(new RegExp(`^${expected}`))
      expect(result?.isError).toBe(!/^(noted|nothing there)/.test(text))
    }
  }
}
