import type { GateId } from '@looprig/core'
import type { AppendOutcome, Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { type EnduringBody, type GateAnswer, interactiveGate } from '../../src/index.ts'
import { encodeRecord } from '../../src/journal/encode-record.ts'
import { eventDraft } from '../../src/journal/record-draft.ts'
import { countingIds } from '../../src/testing.ts'
import { allowing, calling, openSession, resultTexts } from '../session/open-session.ts'
import { askingTool } from './asking-tool.ts'
import { permissions } from './open-gates.ts'
import { RuleBook } from './rule-book.ts'

/** Has the model call `touch` for each value in a store that two processes share, and stops where people are asked. */
async function askFor(...values: readonly string[]) {
  const store = memoryStore()
  const book = new RuleBook()
  const ran: string[] = []
  const opened = await openSession({
    responses: [calling(...values.map((value) => ({ id: value, name: 'touch', input: { value } }))), { text: 'ok' }],
    tools: [askingTool({ ran: (value) => void ran.push(value) })],
    gate: interactiveGate({ access: [allowing('ask')], rules: { source: book, writer: book } }),
    store,
  })
  const submission = opened.session.submit('Go')
  await opened.recording.waitFor('PermissionRequested', values.length)
  const gateIds = permissions(opened.session).map((gate) => gate.gateId)
  const [gateId = '' as GateId] = gateIds
  const other = opened.rig.mailbox(opened.session.id)
  return { ...opened, store, book, ran, submission, gateIds, gateId, other }
}

async function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'accepted',
    (error: { code?: string }) => error.code,
  )
}

describe('an answer from another process', () => {
  it('reaches the owner, and the call runs once', async () => {
    const { other, gateIds, submission, ran, session } = await askFor('a')

    await other.answer(gateIds[0] as GateId, { action: 'approve', by: 'ann' })
    await submission.result()

    expect(ran).toEqual(['a'])
    expect(session.gates()).toEqual([])
  })

  it('is one of several answers of a step, wherever the others come from', async () => {
    const { other, session, gateIds, submission, ran } = await askFor('a', 'b', 'c')

    await other.answer(gateIds[1] as GateId, { action: 'approve' })
    await session.answer(gateIds[2] as GateId, { action: 'deny' })
    await other.answer(gateIds[0] as GateId, { action: 'approve' })
    await submission.result()

    expect(ran).toEqual(['a', 'b'])
    expect(resultTexts(session.history())[2]).toMatch(/^permission denied/)
  })

  it('saves, in the owner, the rules of an approve_always before the call runs', async () => {
    const { other, gateIds, submission, ran, book } = await askFor('a')

    await other.answer(gateIds[0] as GateId, { action: 'approve_always' })
    await submission.result()

    expect(book.writes).toMatchObject([[{ match: 'a' }]])
    expect(ran).toEqual(['a'])
  })

  it('is judged by the same rule as one to the owner', async () => {
    const { other, gateId, submission } = await askFor('a')

    const unknown = await outcome(other.answer('00000000-0000-7000-8000-0000000000ff' as GateId, { action: 'deny' }))
    const invalid = await outcome(other.answer(gateId, { action: 'maybe' } as unknown as GateAnswer))
    const mismatch = await outcome(other.answer(gateId, { answer: 'yes' }))
    const first = await outcome(other.answer(gateId, { action: 'deny' }))
    const again = await outcome(other.answer(gateId, { action: 'deny' }))
    const late = await outcome(other.answer(gateId, { action: 'approve' }))
    await submission.result()
    const after = await outcome(other.answer(gateId, { action: 'deny' }))

    expect([unknown, invalid, mismatch, first, again, late, after]).toEqual([
      'gate_not_found',
      'action_invalid',
      'kind_mismatch',
      'accepted',
      'accepted',
      'already_resolved',
      'accepted',
    ])
  })

  it('and one to the owner at the same time: the first in the slot wins, and the other is told', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { other, session, gateId, submission, ran, recording } = await askFor('a')
      const answers = [
        () => outcome(other.answer(gateId, { action: 'deny' })),
        () => outcome(session.answer(gateId, { action: 'approve' })),
      ]
      const outcomes = await Promise.all((round % 2 === 0 ? answers : answers.toReversed()).map((answer) => answer()))
      await submission.result()

      expect(outcomes.toSorted()).toEqual(['accepted', 'already_resolved'])
      expect(recording.events('GateResolved')).toHaveLength(1)
      expect(ran).toEqual(recording.events('GateResolved')[0]?.action === 'approve' ? ['a'] : [])
      await session.shutdown()
    }
  })

  it('and an interrupt at the same time leave one resolution, one end, and what the step says', async () => {
    for (let round = 0; round < 40; round += 1) {
      const { other, session, gateId, submission, ran, recording } = await askFor('a')
      const answering = round % 2 === 0 ? other : session
      const answered = outcome(answering.answer(gateId, { action: 'approve' }))
      for (let turns = round % 10; turns > 0; turns -= 1) await Promise.resolve()
      await session.interrupt()
      await submission.result()
      await answered
      await session.waitIdle()

      const [result = ''] = resultTexts(session.history())
      expect(recording.events('GateResolved')).toHaveLength(1)
      expect(recording.events('TurnInterrupted').length + recording.events('TurnDone').length).toBe(1)
      expect(ran.length).toBeLessThanOrEqual(1)
      expect(result).toMatch(ran.length === 1 ? /^(touch did a|outcome_unknown)/ : /^not_executed/)
      await session.shutdown()
    }
  })
})

describe('a resolution that another process forged', () => {
  async function forge(store: Store, session: string, body: EnduringBody): Promise<AppendOutcome> {
    return store.ledger.append({ session, records: [encodeRecord(eventDraft(body, countingIds(777)))] })
  }

  it('approves nothing by an action that was not offered', async () => {
    const store = memoryStore()
    const ran: string[] = []
    const { session, recording } = await openSession({
      responses: [calling({ name: 'touch', input: { value: 'a' } }), { text: 'ok' }],
      tools: [askingTool({ ran: (value) => void ran.push(value) })],
      gate: interactiveGate({ access: [allowing('ask')] }),
      store,
    })
    const submission = session.submit('Go')
    const { loopId, turnId, stepId, gateId, toolExecutionId } = await recording.waitFor('PermissionRequested')

    const scope = { loopId, turnId, stepId, gateId, toolExecutionId }
    await forge(store, session.id, { type: 'GateResolved', ...scope, reason: 'answered', action: 'approve_always' })
    await submission.result()

    expect(ran).toEqual([])
    expect(resultTexts(session.history())[0]).toMatch(/^permission denied/)
  })

  it('saves the displayed candidates and no others', async () => {
    const { store, session, recording, submission, book } = await askFor('a')
    const { loopId, turnId, stepId, gateId, toolExecutionId } = await recording.waitFor('PermissionRequested')

    const scope = { loopId, turnId, stepId, gateId, toolExecutionId }
    const rules = [{ kind: 'test.effect', match: '*', description: 'everything' }]
    await forge(store, session.id, {
      type: 'GateResolved',
      ...scope,
      reason: 'answered',
      action: 'approve_always',
      rules,
    })
    await submission.result()

    expect(book.writes).toMatchObject([[{ match: 'a' }]])
  })
})
