import type { GateId } from '@looprig/core'
import { askUserDefinition } from '@looprig/tools/ask-user'
import { describe, expect, it } from 'vitest'
import { type Gate, headlessGate, interactiveGate } from '../../src/index.ts'
import { allowing, calling, openSession, resultTexts } from '../session/open-session.ts'
import { questions } from './open-gates.ts'

/** Has the model ask once per input, in one step. */
async function asking(gate: Gate, ...inputs: readonly { question: string; choices?: string[] }[]) {
  const calls = inputs.map((input, index) => ({ id: `c${index}`, name: 'AskUser', input }))
  const opened = await openSession({
    responses: [calling(...calls), { text: 'ok' }],
    tools: [askUserDefinition()],
    gate,
  })
  return { ...opened, submission: opened.session.submit('Go') }
}

const interactive = () => interactiveGate({ access: [allowing('ask')] })
const colour = { question: 'Which colour?', choices: ['red', 'blue'] }

describe('AskUser in a session', () => {
  it('waits for a person, takes one of its choices or `other`, and its answer is the result', async () => {
    const { recording, session, submission, types } = await asking(interactive(), colour)
    await recording.waitFor('UserInputRequested')
    const gateId = questions(session)[0]?.gateId as GateId

    const wrong = await session.answer(gateId, { answer: 'green' }).catch((error: unknown) => error)
    await session.answer(gateId, { answer: 'other' })
    await submission.result()

    expect(wrong).toMatchObject({ code: 'answer_invalid' })
    expect(resultTexts(session.history())).toEqual(['other'])
    expect(await types()).not.toContain('PermissionRequested')
  })

  it('asks two questions of a step, answered in any order', async () => {
    const { recording, session, submission } = await asking(interactive(), colour, { question: 'Why?' })
    await recording.waitFor('UserInputRequested')
    const [first, second] = questions(session)

    await session.answer(second?.gateId as GateId, { answer: 'because' })
    await session.answer(first?.gateId as GateId, { answer: 'red' })
    await submission.result()

    expect(resultTexts(session.history())).toEqual(['red', 'because'])
  })

  it('is unavailable, and does not wait, where nobody is there', async () => {
    const { session, submission } = await asking(headlessGate({ access: [allowing('allow')] }), colour)

    await submission.result()

    expect(resultTexts(session.history())).toEqual(['unavailable: nobody is there to answer; go on without the answer'])
  })

  it('tells the model what is wrong with its question, and asks nobody', async () => {
    const { session, submission, types } = await asking(interactive(), { question: 'a', choices: ['x', 'x'] })

    await submission.result()

    expect(resultTexts(session.history())[0]).toContain('choices: expected no two equal choices')
    expect(await types()).not.toContain('UserInputRequested')
  })
})
