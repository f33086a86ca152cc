/** What every journal keeps to, judged from its records alone. */
import type { LoopId, Message } from '@looprig/core'
import type { StoredRecord } from '@looprig/store'
import { expect } from 'vitest'
import type { CompactionCommitted, EnduringBody } from '../../src/index.ts'
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

/** The records of one loop. */
export function ofLoop(records: readonly ReadRecord[], loopId: LoopId): readonly ReadRecord[] {
  return records.filter(({ body }) => 'loopId' in body && body.loopId === loopId)
}

/** The inputs that were resolved, in the order in which that happened. */
export function resolvedInputs(records: readonly ReadRecord[]): readonly string[] {
  const resolutions: readonly EnduringBody['type'][] = [
    'TurnStarted',
    'TurnFoldedInto',
    'TurnRejected',
    'InputCancelled',
  ]
  return records.flatMap(({ kind, body }) =>
    kind === 'event' && resolutions.includes(body.type) && 'inputId' in body ? [body.inputId] : [],
  )
}

/** The steps that were recorded before they ran. */
export function stepsOf(records: readonly ReadRecord[]): readonly StepBody[] {
  return records.flatMap(({ kind, body }) => (kind === 'step' ? [body] : []))
}

/** The transcript that the records of one loop tell: what the model sees of it. */
export function transcriptOf(records: readonly ReadRecord[]): readonly Message[] {
  return viewOf(records).flatMap(({ messages }) => messages)
}

interface Entry {
  readonly seq: number
  readonly messages: readonly Message[]
}

function viewOf(records: readonly ReadRecord[]): readonly Entry[] {
  let view: readonly Entry[] = []
  for (const { seq, kind, body } of records) {
    if (kind !== 'event') continue
    if (body.type === 'StepDone') view = [...view, { seq, messages: body.messages }]
    if (body.type === 'TurnStarted' || body.type === 'TurnFoldedInto')
      view = [...view, { seq, messages: [body.message] }]
    if (body.type === 'CompactionCommitted') view = compacted(view, body)
  }
  return view
}

function compacted(view: readonly Entry[], { summary, tailFrom }: CompactionCommitted): readonly Entry[] {
  return [{ seq: tailFrom - 1, messages: [summary] }, ...view.filter(({ seq }) => seq >= tailFrom)]
}

/** Checks a journal at rest: nothing is open in it, and everything is there once. */
export function expectWhole(records: readonly ReadRecord[]): void {
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1))
  expect(new Set(records.map(({ id }) => id)).size).toBe(records.length)
  expectEnded(records)
  for (const { loopId } of eventsOf(records, 'LoopStarted')) expectLoopWhole(ofLoop(records, loopId))
}

/** Everything that began has ended, once, and nothing else has. */
function expectEnded(records: readonly ReadRecord[]): void {
  const ids = (kind: StoredRecord['kind'], prefix: string) =>
    records.filter((record) => record.kind === kind && record.id.startsWith(prefix)).map(({ id }) => id)
  const ends = (prefix: string) => ids('event', prefix).filter((id) => id.endsWith('/end'))
  const expectEnds = (prefix: string, begun: readonly string[]) =>
    expect(ends(prefix).toSorted()).toEqual(begun.map((id) => `${id}/end`).toSorted())

  expectEnds(
    'turn/',
    eventsOf(records, 'TurnStarted').map(({ turnId }) => `turn/${turnId}`),
  )
  expectEnds('in/', ids('input', 'in/'))
  expectEnds(
    'gate/',
    eventsOf(records, 'PermissionRequested').map(({ gateId }) => `gate/${gateId}`),
  )
  // a step that had no effect has no record of its own
  expect(ends('step/')).toEqual(expect.arrayContaining(ids('step', 'step/').map((id) => `${id}/end`)))
  const calls = stepsOf(records).flatMap((step) => step.calls.map(({ executionId }) => `run/${executionId}`))
  const runs = ids('run', 'run/')
  expect(calls).toEqual(expect.arrayContaining(runs.filter((id) => !id.endsWith('/end'))))
  expect(runs).toEqual(expect.arrayContaining(runs.map((id) => id.replace('/end', ''))))
}

/** One loop: turn after turn, every record within its turn, every call with its result, and a view that a model takes. */
function expectLoopWhole(own: readonly ReadRecord[]): void {
  expect(own[0] && nameOf(own[0])).toBe('LoopStarted')
  let turnId: string | undefined
  let stepId: string | undefined
  let turns = 0
  for (const [index, record] of own.entries()) {
    const { kind, body } = record
    const name = nameOf(record)
    if (kind === 'event' && body.type === 'TurnStarted') {
      turns += 1
      expect([turnId, body.turnIndex]).toEqual([undefined, turns])
      turnId = body.turnId
    } else if ('turnId' in body && kind !== 'input') expect(body.turnId, name).toBe(turnId)
    if (kind === 'step') {
      expect(stepId).toBeUndefined()
      stepId = body.stepId
      // decisions on calls that had no effect come with the end of a step that has no record of its own
    } else if (name === 'PermissionDecided' && 'stepId' in body) stepId ??= body.stepId
    if ('stepId' in body && name !== 'StepDone') expect(body.stepId, name).toBe(stepId)
    if (kind !== 'event') continue
    if (body.type === 'StepDone') {
      expect([undefined, body.stepId]).toContain(stepId)
      stepId = undefined
      const [answer, ...results] = body.messages
      const calls = answer.blocks.filter((block) => block.type === 'tool_use')
      expect(results.map((result) => result.toolUseId)).toEqual(calls.map((call) => call.id))
    }
    if (body.type === 'CompactionCommitted') {
      const seqs = viewOf(own.slice(0, index)).map(({ seq }) => seq)
      expect([stepId, body.through]).toEqual([undefined, seqs.at(-1)])
      expect([...seqs, body.through + 1]).toContain(body.tailFrom)
    }
    if (['TurnDone', 'TurnFailed', 'TurnInterrupted'].includes(body.type)) {
      expect(stepId).toBeUndefined()
      turnId = undefined
    }
  }
  const next: Message = { role: 'user', blocks: [{ type: 'text', text: 'and now?' }] }
  expect(transcriptFault([...transcriptOf(own), next])).toBeUndefined()
}
