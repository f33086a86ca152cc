/** What every journal of a session with agents keeps to, judged from its records alone. */
import { textOf } from '@looprig/core'
import type { StoredRecord } from '@looprig/store'
import { expect } from 'vitest'
import { transcriptFault } from '../../src/testing/transcript-fault.ts'
import { eventsOf, nameOf, type ReadRecord, readBodies, stepsOf, transcriptOf } from '../restore/journal-invariants.ts'

/**
 * Checks a journal at rest: nothing is open in it, and agents keep to their callers. `isStopped`: somebody interrupted
 * it, so that what worked in the background need not be handed back.
 */
export function expectWholeSession(stored: readonly StoredRecord[], { isStopped = false } = {}): void {
  const records = readBodies(stored)
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1))
  expect(new Set(records.map(({ id }) => id)).size).toBe(records.length)
  expectEnded(records)
  for (const { loopId } of eventsOf(records, 'LoopStarted')) {
    const own = records.filter(({ body }) => 'loopId' in body && body.loopId === loopId)
    expect(own[0] && nameOf(own[0])).toBe('LoopStarted')
    const next = { role: 'user', blocks: [{ type: 'text', text: 'and now?' }] } as const
    expect(transcriptFault([...transcriptOf(own), next])).toBeUndefined()
  }
  expectCallers(records, isStopped)
}

/** Everything that began has ended, once. */
function expectEnded(records: readonly ReadRecord[]): void {
  const ids = new Set(records.map(({ id }) => id))
  const ends = (wanted: readonly string[]) => wanted.filter((id) => !ids.has(`${id}/end`))
  expect(ends(eventsOf(records, 'TurnStarted').map(({ turnId }) => `turn/${turnId}`))).toEqual([])
  expect(ends(records.filter(({ kind }) => kind === 'input').map(({ id }) => id))).toEqual([])
  expect(ends(records.filter(({ kind }) => kind === 'step').map(({ id }) => id))).toEqual([])
  expect(ends(eventsOf(records, 'PermissionRequested').map(({ gateId }) => `gate/${gateId}`))).toEqual([])
}

/** A call that waits has its result after its agent's end, and what works in the background is handed back once. */
function expectCallers(records: readonly ReadRecord[], isStopped: boolean): void {
  const seqOf = (id: string) => records.find((record) => record.id === id)?.seq ?? Number.POSITIVE_INFINITY
  const turnOf = (inputId: string) =>
    [...eventsOf(records, 'TurnStarted'), ...eventsOf(records, 'TurnFoldedInto')].find(
      (event) => event.inputId === inputId,
    )?.turnId
  const steps = new Map(stepsOf(records).map((step) => [step.stepId, step]))
  const told: string[] = []
  for (const { id, kind, body } of records) {
    if (kind !== 'input' || body.caller === undefined) continue
    const { stepId, toolExecutionId, background } = body.caller
    const turnId = turnOf(id.slice('in/'.length))
    if (background !== true) {
      const end = turnId === undefined ? seqOf(`${id}/end`) : seqOf(`turn/${turnId}/end`)
      expect(end).toBeLessThan(seqOf(`step/${stepId}/end`))
    } else if (turnId !== undefined) told.push(turnId)
    const index = steps.get(stepId)?.calls.findIndex(({ executionId }) => executionId === toolExecutionId) ?? -1
    const done = eventsOf(records, 'StepDone').find((event) => event.stepId === stepId)
    const result = done?.messages[index + 1]
    expect(textOf(result?.blocks ?? [])).not.toMatch(/outcome_unknown|not_executed/)
  }
  const handed = records.filter(({ kind, body }) => kind === 'input' && 'from' in body && body.from !== undefined)
  if (isStopped) expect(handed.length).toBeLessThanOrEqual(new Set(told).size)
  else expect(handed).toHaveLength(new Set(told).size)
}
