import type { GateId } from '@looprig/core'
import { textOf } from '@looprig/core'
import type { Preparation, UserQuestion } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { type Gate, type GateAnswer, headlessGate, interactiveGate } from '../../src/index.ts'
import { allowing, calling, delivered, openSession, resultTexts } from '../session/open-session.ts'
import { type AskingTool, askingTool } from './asking-tool.ts'
import { permissions, questions } from './open-gates.ts'

const blue: UserQuestion = { text: 'Which colour?', choices: ['red', 'blue'] }
const asking = () => interactiveGate({ access: [allowing('ask')] })
const declares = (question: UserQuestion, more: Partial<Preparation> = {}) => ({
  prepared: () => ({ requirements: [], question, ...more }),
})

/** Has the model call the tool once per value and waits until people are asked, or the turn ended. */
async function call(tool: AskingTool, gate: Gate | null = asking(), ...values: readonly string[]) {
  const ran: string[] = []
  const calls = (values.length === 0 ? ['x'] : values).map((value) => ({ id: value, name: 'touch', input: { value } }))
  const opened = await openSession({
    responses: [calling(...calls), { text: 'ok' }],
    tools: [askingTool({ ran: (value) => void ran.push(value), ...tool })],
    gate,
    limits: { calls: 400 },
  })
  const submission = opened.session.submit('Go')
  const answer = (given: unknown, index = 0) =>
    opened.session.answer(opened.session.gates()[index]?.gateId as GateId, given as GateAnswer)
  return { ...opened, submission, answer, ran }
}

async function refusal(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'accepted',
    (error: unknown) => error,
  )
}

describe('a question that prepare returns', () => {
  it('waits for a person, and the answer is the result of the call, which never runs', async () => {
    const { recording, session, answer, submission, ran, types } = await call(declares(blue))
    await recording.waitFor('UserInputRequested')

    expect(questions(session)).toMatchObject([{ question: blue }])
    await answer({ answer: 'blue', by: 'ann' })
    await submission.result()

    expect(ran).toEqual([])
    expect(resultTexts(session.history())).toEqual(['blue'])
    expect(recording.events('GateResolved')).toMatchObject([{ reason: 'answered', answer: 'blue', by: 'ann' }])
    expect(await types()).not.toContain('PermissionRequested')
  })

  it('takes the answer `other` beside its choices', async () => {
    const { recording, session, answer, submission } = await call(declares(blue))
    await recording.waitFor('UserInputRequested')

    await answer({ answer: 'other' })
    await submission.result()

    expect(resultTexts(session.history())).toEqual(['other'])
  })

  it('takes any text where it has no choices, also an empty one', async () => {
    const { recording, session, answer, submission } = await call(declares({ text: 'Why?' }))
    await recording.waitFor('UserInputRequested')

    await answer({ answer: '' })
    await submission.result()

    expect(resultTexts(session.history())).toEqual(['[empty result]'])
  })

  it.each<[string, unknown, string]>([
    ['none of its choices', { answer: 'Blue' }, 'answer_invalid'],
    ['no text', { answer: 7 }, 'answer_invalid'],
    ['nothing', undefined, 'answer_invalid'],
    ['an action', { action: 'approve' }, 'kind_mismatch'],
    ['an action and a text', { action: 'approve', answer: 'blue' }, 'kind_mismatch'],
  ])('refuses %s and stays open', async (_name, given, code) => {
    const { recording, session, answer } = await call(declares(blue))
    await recording.waitFor('UserInputRequested')

    expect(await refusal(answer(given))).toMatchObject({ name: 'GateError', code })
    expect(session.gates()).toHaveLength(1)
  })

  it('takes an equal answer again, and refuses another', async () => {
    const { recording, session, submission } = await call(declares(blue))
    const { gateId } = await recording.waitFor('UserInputRequested')

    await session.answer(gateId, { answer: 'red' })
    await session.answer(gateId, { answer: 'red' })
    const other = await refusal(session.answer(gateId, { answer: 'blue' }))
    await submission.result()

    expect(other).toMatchObject({ code: 'already_resolved' })
    expect(resultTexts(session.history())).toEqual(['red'])
  })

  it('is answered `unavailable` where nobody is there', async () => {
    const { session, submission, types } = await call(declares(blue), headlessGate({ access: [allowing('allow')] }))

    await submission.result()

    expect(resultTexts(session.history())).toEqual(['unavailable: nobody is there to answer; go on without the answer'])
    expect(await types()).not.toContain('UserInputRequested')
  })

  it('comes after the permission that its call needs', async () => {
    const { recording, session, answer, submission, ran } = await call({ prepared: () => ({ question: blue }) })
    await recording.waitFor('PermissionRequested')
    const before = questions(session).length

    await answer({ action: 'approve' })
    await recording.waitFor('UserInputRequested')
    await answer({ answer: 'red' })
    await submission.result()

    expect(before).toBe(0)
    expect(ran).toEqual([])
    expect(resultTexts(session.history())).toEqual(['red'])
  })

  it('is never asked when its permission is denied', async () => {
    const { recording, session, answer, submission, types } = await call({ prepared: () => ({ question: blue }) })
    await recording.waitFor('PermissionRequested')

    await answer({ action: 'deny' })
    await submission.result()

    expect(await types()).not.toContain('UserInputRequested')
    expect(resultTexts(session.history())[0]).toMatch(/^permission denied/)
  })

  it('opens in one append with the other gates of its step, and all are answered in any order', async () => {
    const prepared = (value: string) => (value === 'ask' ? { requirements: [], question: blue } : {})
    const { recording, session, submission, ran } = await call({ prepared }, asking(), 'ask', 'a')
    await recording.waitFor('PermissionRequested')

    const [question] = questions(session)
    const [permission] = permissions(session)
    await session.answer(permission?.gateId as GateId, { action: 'approve' })
    await delivered()
    const between = [...ran]
    await session.answer(question?.gateId as GateId, { answer: 'red' })
    await submission.result()

    expect(between).toEqual([])
    expect(resultTexts(session.history())).toEqual(['red', 'touch did a'])
  })

  it('is abandoned by an interrupt', async () => {
    const { recording, session, answer } = await call(declares(blue))
    await recording.waitFor('UserInputRequested')
    const { gateId } = recording.events('UserInputRequested')[0] ?? {}

    await session.interrupt()

    expect(recording.events('GateResolved')).toMatchObject([{ gateId, reason: 'abandoned' }])
    expect(await refusal(answer({ answer: 'red' }))).toMatchObject({ code: 'gate_not_found' })
    expect(await refusal(session.answer(gateId as GateId, { answer: 'red' }))).toMatchObject({
      code: 'already_resolved',
    })
  })

  it('is refused as a preparation when it is no valid question', async () => {
    const { session, submission, types } = await call(declares({ text: '' }))

    await submission.result()

    expect(resultTexts(session.history())).toEqual(['the tool failed'])
    expect(await types()).not.toContain('UserInputRequested')
  })

  it('goes without an answer that is longer than a result of its step may be', async () => {
    const values = Array.from({ length: 120 }, (_, index) => `v${index}`)
    const { session, recording, submission } = await call(declares({ text: 'Why?' }), asking(), ...values)
    await recording.waitFor('UserInputRequested', values.length)

    for (const gate of session.gates()) await session.answer(gate.gateId, { answer: 'x'.repeat(65_536) })
    await submission.result()

    const sizes = session.history().map((message) => textOf(message.blocks).length)
    expect(Math.max(...sizes)).toBeLessThan(65_536)
    expect(session.fault).toBeUndefined()
  })
})

describe('a question of a running tool', () => {
  const runs = (question: UserQuestion): AskingTool => ({
    prepared: () => ({ requirements: [] }),
    ran: async (_value, { requestUserInput }) => `heard ${await requestUserInput?.(question)}`,
  })

  it('waits for a person and gets the answer', async () => {
    const { recording, session, answer, submission } = await call(runs(blue))
    const asked = await recording.waitFor('UserInputRequested')

    expect(asked).toMatchObject({ question: blue, live: true })
    expect(questions(session)).toMatchObject([{ live: true }])
    await answer({ answer: 'blue' })
    await submission.result()

    expect(resultTexts(session.history())).toEqual(['heard blue'])
    expect(session.gates()).toEqual([])
  })

  it('ends with the turn, and a late answer is refused', async () => {
    const { recording, session } = await call(runs(blue))
    const { gateId } = await recording.waitFor('UserInputRequested')

    await session.interrupt()

    expect(recording.events('GateResolved')).toMatchObject([{ gateId, reason: 'abandoned' }])
    expect(await refusal(session.answer(gateId, { answer: 'blue' }))).toMatchObject({ code: 'already_resolved' })
  })

  it('is closed when its tool ends without waiting for it', async () => {
    const asked = createDeferred<void>()
    const { recording, session, submission } = await call({
      ran: async (_value, { requestUserInput }) => {
        requestUserInput?.(blue).catch(() => asked.resolve())
        await recording.waitFor('UserInputRequested')
        return 'went on'
      },
      prepared: () => ({ requirements: [] }),
    })

    await submission.result()
    await asked.promise

    expect(resultTexts(session.history())).toEqual(['went on'])
    expect(recording.events('GateResolved')).toMatchObject([{ reason: 'abandoned' }])
    expect(session.gates()).toEqual([])
  })

  it.each<[string, UserQuestion, Gate, RegExp]>([
    ['nobody is there', blue, headlessGate({ access: [allowing('allow')] }), /^unavailable/],
    ['it is not valid', { text: ' ' }, asking(), /^the question is empty/],
    ['it is none', undefined as never, asking(), /^the question is empty/],
  ])('is an error of the tool when %s', async (_name, question, gate, text) => {
    const { session, submission, types } = await call(runs(question), gate)

    await submission.result()

    expect(resultTexts(session.history())[0]).toMatch(text)
    expect(await types()).not.toContain('UserInputRequested')
  })

  it('may be one of several, each with its own answer', async () => {
    const { recording, session, submission } = await call({
      prepared: () => ({ requirements: [] }),
      ran: async (_value, { requestUserInput }) => {
        const both = await Promise.all(['one', 'two'].map(async (text) => requestUserInput?.({ text })))
        return both.join(' and ')
      },
    })
    await recording.waitFor('UserInputRequested', 2)

    const [one, two] = questions(session)
    await session.answer(two?.gateId as GateId, { answer: 'second' })
    await session.answer(one?.gateId as GateId, { answer: 'first' })
    await submission.result()

    expect(resultTexts(session.history())).toEqual(['first and second'])
  })

  it('cannot be changed by the tool once it is asked', async () => {
    const question = { text: 'Delete?', choices: ['yes', 'no'] }
    const { recording, session, answer, submission } = await call(runs(question))
    await recording.waitFor('UserInputRequested')

    question.choices.push('maybe')

    expect(questions(session)[0]?.question.choices).toEqual(['yes', 'no'])
    expect(await refusal(answer({ answer: 'maybe' }))).toMatchObject({ code: 'answer_invalid' })
    await answer({ answer: 'no' })
    await submission.result()
  })
})

describe('the capacity of a session', () => {
  it('is 128 open gates: what is over is denied in the same append, and the rest is asked', async () => {
    const values = Array.from({ length: 130 }, (_, index) => `v${index}`)
    const opened = await openSession({
      responses: [calling(...values.map((value) => ({ id: value, name: 'touch', input: { value } }))), { text: 'ok' }],
      tools: [askingTool()],
      gate: asking(),
      limits: { calls: 400 },
    })
    const submission = opened.session.submit('Go')
    await opened.recording.waitFor('PermissionRequested', 128)

    const open = opened.session.gates()
    for (const gate of open) await opened.session.answer(gate.gateId, { action: 'deny' })
    await submission.result()

    const denied = opened.recording.events('PermissionDecided')
    expect(open).toHaveLength(128)
    expect(denied).toMatchObject([{ reason: 'gate_capacity' }, { reason: 'gate_capacity' }])
    expect(resultTexts(opened.session.history()).slice(-2)).toEqual([
      'permission denied [unavailable]: touch v128',
      'permission denied [unavailable]: touch v129',
    ])
  })
})
