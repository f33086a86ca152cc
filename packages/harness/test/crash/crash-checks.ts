/** What holds after every crash. Each check says how many cases it met. */
import { textOf } from '@looprig/core'
import { expect } from 'vitest'
import { expectAgentsWhole, expectHandedBack } from '../restore/agent-journal.ts'
import {
  eventsOf,
  expectWhole,
  nameOf,
  ofLoop,
  type ReadRecord,
  stepsOf,
  transcriptOf,
} from '../restore/journal-invariants.ts'
import { expectEnded, openTurnsOf } from '../restore/open-turns.ts'
import { inputIdOf, questions } from '../restore/rich-session.ts'
import { hasWork, standingOf } from '../restore/standing.ts'
import type { Crash } from './crash.ts'
import { digestOf } from './recorded-acts.ts'

/** The process ended where it was killed, and left a journal whenever its first append was done. */
export function isKilled({ point: [first], ended, before }: Crash): number {
  expect(ended).toBe('SIGKILL')
  expect(before.length > 0).toBe(first.append > 1 || first.when === 'after')
  return 1
}

/** Lists show where the session stands. */
export function isListed({ status, before }: Crash): number {
  expect(status).toBe(standingOf(before))
  return 1
}

/** A reader tells of the session what its records tell. */
export function isInspected({ inspection, before }: Crash): number {
  if (inspection === undefined) return 0
  const { owner, tip, status, loops } = inspection
  expect({ owner, tip, status }).toEqual({ owner: 'none', tip: before.length, status: standingOf(before) ?? 'idle' })
  const turns = openTurnsOf(before)
  for (const { loopId, history, turn } of loops) {
    const open = turns.find((each) => each.loopId === loopId)
    expect(history).toEqual(transcriptOf(ofLoop(before, loopId)))
    expect(turn?.turnId).toBe(open?.turnId)
    const told = turn?.calls.map(({ started, result }) => [started, result !== undefined]) ?? []
    expect(told).toEqual(open?.step?.calls.map(({ isStarted, isKnown }) => [isStarted, isKnown]) ?? [])
  }
  return turns.length
}

/** Workers are told of a session exactly while it has work. */
export function isDue({ due, before }: Crash): number {
  expect(due).toEqual({ before: hasWork(before), after: false })
  return due.before ? 1 : 0
}

/** The session goes on to a whole journal that begins with what was there, with every question asked once and one more. */
export function goesOn({ before, after, last, failure }: Crash): number {
  expect(failure).toBeUndefined()
  if (before.length === 0) return 0
  expect(last).toBe('done')
  expectHandedBack(before)
  expect(after.slice(0, before.length)).toEqual(before)
  expectWhole(after)
  expectAgentsWhole(after)
  const said = after.filter(({ kind, body }) => kind === 'input' && 'agency' in body && body.agency === 'user')
  expect(said.slice(0, -1).map(({ id }) => id)).toEqual(questions.map((question) => `in/${inputIdOf(question)}`))
  return eventsOf(after, 'LoopStarted').length - 1
}

/** Every open turn ends as the records say, each of its calls with what is known of it. */
export function endsTurns({ before, after }: Crash): number {
  const turns = openTurnsOf(before)
  for (const turn of turns) expectEnded(turn, after)
  return turns.length
}

/** No effect comes twice, none without a record, and none where the model was told so. */
export function hasEffectsOnce({ effects, after }: Crash): number {
  const calls = recordedCalls(after)
  const known = new Set<string>(calls.map((call) => call.executionId))
  expect([...effects.values()].every((count) => count === 1)).toBe(true)
  expect([...effects.keys()].filter((executionId) => !known.has(executionId))).toEqual([])
  let unknown = 0
  for (const { executionId, text } of calls) {
    const count = effects.get(executionId) ?? 0
    if (/^(not_executed|permission denied|error|agent|{)/.test(text)) expect(count, text).toBe(0)
    if (text.startsWith('noted')) expect(count, text).toBe(1)
    if (text.startsWith('outcome_unknown')) unknown += count
  }
  return unknown
}

/**
 * Every answer of a model follows from the transcript that the journal tells; after an unknown outcome the next one
 * holds it, and the loop that people talk to always has a next one.
 */
export function tellsModels({ requests, after }: Crash): number {
  const [main] = eventsOf(after, 'LoopStarted')
  let unknown = 0
  for (const { loopId } of eventsOf(after, 'LoopStarted')) {
    const own = ofLoop(after, loopId)
    const answers = own.flatMap((record, index) => (nameOf(record) === 'StepDone' ? [index] : []))
    for (const [number, index] of answers.entries()) {
      expect(requests).toContain(digestOf(transcriptOf(own.slice(0, index))))
      const { length } = unknownResults(own.slice(index, index + 1))
      if (length === 0) continue
      const next = answers[number + 1]
      if (loopId === main?.loopId) expect(next).toBeDefined()
      if (next === undefined) continue
      expect(unknownResults(own.slice(0, next)).length).toBeGreaterThanOrEqual(length)
      unknown += length
    }
  }
  return unknown
}

function unknownResults(own: readonly ReadRecord[]) {
  return transcriptOf(own).filter(({ role, blocks }) => role === 'tool' && textOf(blocks).startsWith('outcome_unknown'))
}

/** Every call of the journal that had a record before it ran, with its result. */
function recordedCalls(records: readonly ReadRecord[]) {
  return stepsOf(records).flatMap(({ stepId, calls }) => {
    const [, ...results] = eventsOf(records, 'StepDone').find((done) => done.stepId === stepId)?.messages ?? []
    return calls.map(({ executionId }, index) => ({ executionId, text: textOf(results[index]?.blocks ?? []) }))
  })
}
