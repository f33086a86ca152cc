import type { GateId } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { type GateAction, GateError, interactiveGate, SessionError } from '../../src/index.ts'
import { allowing, calling, delivered, effectTool, openSession, resultTexts } from '../session/open-session.ts'
import { permissions } from './open-gates.ts'

/** Has the model call `touch` for each value, and stops where people are asked for all of them. */
async function askForAll(...values: readonly string[]) {
  const ran: string[] = []
  const calls = values.map((value) => ({ id: value, name: 'touch', input: { value } }))
  const opened = await openSession({
    responses: [calling(...calls), { text: 'ok' }, { text: 'next' }],
    tools: [effectTool('touch', (value) => void ran.push(value))],
    gate: interactiveGate({ access: [allowing(({ match }) => (match === 'touch:free' ? 'allow' : 'ask'))] }),
  })
  const submission = opened.session.submit('Go')
  await opened.recording.waitFor('PermissionRequested')
  const gates = permissions(opened.session)
  /** Answers the nth gate. */
  const answer = (index: number, action: GateAction, by?: string) =>
    opened.session.answer(gates[index]?.gateId as GateId, { action, by })
  return { ...opened, submission, gates, answer, ran }
}

async function refusal(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'accepted',
    (error: unknown) => error,
  )
}

describe('Session.answer', () => {
  it('runs an approved call once', async () => {
    const { answer, submission, ran, session } = await askForAll('a')

    await answer(0, 'approve')
    const result = await submission.result()

    expect(result.status).toBe('done')
    expect(ran).toEqual(['a'])
    expect(resultTexts(session.history())).toEqual(['touch did a'])
  })

  it('never runs a denied call, and tells the model', async () => {
    const { answer, submission, ran, session } = await askForAll('a')

    await answer(0, 'deny')
    const result = await submission.result()

    expect(result).toMatchObject({ status: 'done', text: 'ok' })
    expect(ran).toEqual([])
    expect(resultTexts(session.history())).toEqual(['permission denied [not authorized]: touch touch:a'])
  })

  it.each([
    [['0 approve', '1 deny', '2 approve']],
    [['2 approve', '0 approve', '1 deny']],
    [['1 deny', '2 approve', '0 approve']],
  ])('takes the answers of one step in any order: %j', async (answers) => {
    const { answer, submission, ran, session } = await askForAll('a', 'b', 'c')

    for (const given of answers) await answer(Number(given[0]), given.slice(2) as GateAction)
    await submission.result()

    expect(ran).toEqual(['a', 'c'])
    expect(resultTexts(session.history()).map((text) => text.slice(0, 9))).toEqual([
      'touch did',
      'permissio',
      'touch did',
    ])
  })

  it('runs nothing of a step before all of its questions are answered', async () => {
    const { answer, submission, ran } = await askForAll('free', 'a', 'b')

    await answer(0, 'approve')
    await delivered()
    const between = [...ran]
    await answer(1, 'approve')
    await submission.result()

    expect(between).toEqual([])
    expect(ran).toEqual(['free', 'a', 'b'])
  })

  it('takes an equal answer again, and refuses another', async () => {
    const { answer, submission, ran } = await askForAll('a')

    await answer(0, 'approve')
    await answer(0, 'approve')
    const other = await refusal(answer(0, 'deny'))
    await submission.result()

    expect(other).toBeInstanceOf(GateError)
    expect(other).toMatchObject({ code: 'already_resolved', action: 'approve' })
    expect(ran).toEqual(['a'])
  })

  it('lets the first of two answers at once win', async () => {
    const { answer, submission, ran, recording } = await askForAll('a')

    const outcomes = await Promise.all([refusal(answer(0, 'deny')), refusal(answer(0, 'approve'))])
    await submission.result()
    await delivered()

    expect(outcomes).toMatchObject(['accepted', { code: 'already_resolved', action: 'deny' }])
    expect(ran).toEqual([])
    expect(recording.events('GateResolved')).toHaveLength(1)
  })

  it('does not know a gate of another session', async () => {
    const { session } = await askForAll('a')

    const error = await refusal(session.answer('00000000-0000-7000-8000-0000000000ff' as GateId, { action: 'approve' }))

    expect(error).toMatchObject({ name: 'GateError', code: 'gate_not_found' })
  })

  it.each(['approve_always', '', undefined, null, {}])('refuses the action %j and stays open', async (action) => {
    const { answer, session, ran } = await askForAll('a')

    const error = await refusal(answer(0, action as GateAction))

    expect(error).toMatchObject({ name: 'GateError', code: 'action_invalid' })
    expect(session.gates()).toHaveLength(1)
    expect(ran).toEqual([])
  })

  it('records who answered, shortened', async () => {
    const { answer, recording } = await askForAll('a')

    await answer(0, 'approve', `ann ${'x'.repeat(5_000)}`)
    const resolved = await recording.waitFor('GateResolved')

    expect(resolved).toMatchObject({ reason: 'answered', action: 'approve' })
    expect(resolved.by).toMatch(/^ann x{200,}$/)
    expect(resolved.by?.length).toBeLessThanOrEqual(256)
  })

  it('refuses an answer after the turn was interrupted', async () => {
    const { answer, session, ran } = await askForAll('a')
    await session.interrupt()

    const errors = [await refusal(answer(0, 'approve')), await refusal(answer(0, undefined as unknown as GateAction))]

    expect(errors).toMatchObject([{ code: 'already_resolved', action: undefined }, { code: 'already_resolved' }])
    expect(ran).toEqual([])
  })

  it('refuses an answer after the shutdown', async () => {
    const { answer, session, ran } = await askForAll('a')
    await session.shutdown()

    const error = await refusal(answer(0, 'approve'))

    expect(error).toBeInstanceOf(SessionError)
    expect(error).toMatchObject({ code: 'session_closed' })
    expect(ran).toEqual([])
  })
})

describe('Session.gates', () => {
  it('lists what is open, the oldest first, with what a person has to know', async () => {
    const { gates, recording } = await askForAll('a', 'b')
    await recording.waitFor('PermissionRequested', 2)

    expect(gates.map((gate) => gate.request.summary)).toEqual(['touch a', 'touch b'])
    expect(gates[0]).toMatchObject({ actions: ['approve', 'deny'], unmet: [{ match: 'touch:a' }] })
    expect(recording.events('PermissionRequested').map((event) => event.gateId)).toEqual(
      gates.map((gate) => gate.gateId),
    )
  })

  it('gets shorter with every answer', async () => {
    const { answer, session, submission } = await askForAll('a', 'b')

    await answer(1, 'deny')
    const between = permissions(session).map((gate) => gate.request.summary)
    await answer(0, 'deny')
    await submission.result()

    expect(between).toEqual(['touch a'])
    expect(session.gates()).toEqual([])
  })

  it('is empty after an interrupt', async () => {
    const { session } = await askForAll('a', 'b')

    await session.interrupt()

    expect(session.gates()).toEqual([])
  })
})

describe('events of a gate', () => {
  it('come in order: question, answer, run', async () => {
    const { answer, submission, types } = await askForAll('a')

    await answer(0, 'approve')
    await submission.result()

    const told = await types('ToolInputDelta')
    const from = told.indexOf('PermissionRequested')
    expect(told.slice(from, from + 5)).toEqual([
      'PermissionRequested',
      'GateResolved',
      'ToolCallStarted',
      'ToolCallCompleted',
      'StepDone',
    ])
  })

  it('say nothing of a decision where a person was asked', async () => {
    const { answer, submission, recording } = await askForAll('free', 'a')

    await answer(0, 'approve')
    await submission.result()
    await delivered()

    expect(recording.events('PermissionDecided')).toHaveLength(1)
  })

  it('queue a new input behind an open question', async () => {
    const { answer, session, submission, requests } = await askForAll('a')

    const next = session.submit('And then?', { noFold: true })
    await next.accepted
    const before = requests.length
    await answer(0, 'approve')
    await submission.result()
    const result = await next.result()

    expect(before).toBe(1)
    expect(result.text).toBe('next')
  })
})
