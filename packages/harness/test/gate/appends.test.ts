import type { AppendRequest } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { type GateAction, interactiveGate } from '../../src/index.ts'
import { faultyStore } from '../../src/testing.ts'
import { allowing, calling, openSession } from '../session/open-session.ts'
import { askingTool } from './asking-tool.ts'
import { permissions } from './open-gates.ts'
import { RuleBook } from './rule-book.ts'

/** Answers one gate per value, in order; returns the appends of the step as lists of what they hold. */
async function appendsOf(answers: Readonly<Record<string, GateAction>>, options: { parallel?: number } = {}) {
  const values = Object.keys(answers)
  const store = faultyStore(memoryStore(), () => undefined)
  const book = new RuleBook()
  const { session, recording } = await openSession({
    responses: [calling(...values.map((value) => ({ id: value, name: 'touch', input: { value } }))), { text: 'ok' }],
    tools: [askingTool({ replaySafe: true })],
    gate: interactiveGate({
      access: [allowing(({ match }) => (match.startsWith('free') ? 'allow' : 'ask'))],
      rules: { source: book, writer: book },
    }),
    limits: options,
    store,
  })
  const submission = session.submit('Go')
  await recording.waitFor('PermissionRequested')
  const from = store.appends.length - 1
  for (const gate of permissions(session)) {
    await session.answer(gate.gateId, { action: answers[gate.request.summary.slice('touch '.length)] ?? 'deny' })
  }
  await submission.result()
  return store.appends.slice(from, -1).map(contents)
}

function contents({ records }: AppendRequest): string {
  return records.map(({ id, body }) => (JSON.parse(body) as { type?: string }).type ?? id.split('/')[0]).join(' ')
}

describe('the appends of a step that a person decides', () => {
  it('are three for one approved call: the approval and the start are one', async () => {
    expect(await appendsOf({ a: 'approve' })).toEqual(['step PermissionRequested', 'GateResolved run', 'StepDone'])
  })

  it('are three for one denied call', async () => {
    expect(await appendsOf({ a: 'deny' })).toEqual(['step PermissionRequested', 'GateResolved', 'StepDone'])
  })

  it('start, with the last answer, all that begins then, also what was approved before', async () => {
    expect(await appendsOf({ a: 'approve', b: 'approve', c: 'deny' })).toEqual([
      'step PermissionRequested PermissionRequested PermissionRequested',
      'GateResolved',
      'GateResolved',
      'GateResolved run run',
      'StepDone',
    ])
  })

  it('start no more with the last answer than may run at the same time', async () => {
    expect(await appendsOf({ a: 'approve', b: 'approve' }, { parallel: 1 })).toEqual([
      'step PermissionRequested PermissionRequested',
      'GateResolved',
      'GateResolved run',
      'run',
      'StepDone',
    ])
  })

  it('keep the start of a call out of an answer whose rule is still to be saved', async () => {
    expect(await appendsOf({ a: 'approve_always' })).toEqual([
      'step PermissionRequested',
      'GateResolved',
      'run',
      'StepDone',
    ])
  })
})
