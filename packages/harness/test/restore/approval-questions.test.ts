import type { GateId } from '@looprig/core'
import { defineTool, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { recordSession } from '../../src/testing.ts'
import { questions } from '../gate/open-gates.ts'
import { calling, resultTexts } from '../session/open-session.ts'
import { ApprovalWorld, decide } from './approval-world.ts'

const blue = { text: 'Which colour?', choices: ['red', 'blue'] }

/** A world whose `edit` needs no access and asks a question instead of running. */
function askingWorld(): ApprovalWorld {
  const world = new ApprovalWorld()
  world.question = blue
  world.access = () => 'allow'
  return world
}

describe('a question that was open at a restart', () => {
  it('stays open, and the answer is the result of its call, which never runs', async () => {
    const world = askingWorld()
    const { session, store } = await world.waiting(['a'])
    const before = questions(session)
    const left = await world.crash(session, store)

    const { session: restored } = await world.restore(left, session.id)
    const after = questions(restored)
    await restored.answer(after[0]?.gateId as GateId, { answer: 'blue' })
    await restored.waitIdle()

    expect(after).toEqual(before)
    expect(world.effects).toEqual([])
    expect(resultTexts(restored.history())).toEqual(['blue'])
  })

  it('keeps an answer that was given while nobody was there', async () => {
    const world = askingWorld()
    const { session, store } = await world.waiting(['a'])
    const [open] = questions(session)
    const left = await world.crash(session, store)
    const mailbox = world.rig(left).mailbox(session.id)
    const wrong = await mailbox.answer(open?.gateId as GateId, { answer: 'green' }).catch((error: unknown) => error)
    await mailbox.answer(open?.gateId as GateId, { answer: 'red' })
    await mailbox.answer(open?.gateId as GateId, { answer: 'red' })

    const { session: restored, recording } = await world.restore(left, session.id)
    await restored.waitIdle()

    expect(wrong).toMatchObject({ code: 'answer_invalid' })
    expect(recording.events('GateResolved')).toMatchObject([{ reason: 'answered', answer: 'red' }])
    expect(resultTexts(restored.history())).toEqual(['red'])
  })

  it('is asked after an approval that came before the restart', async () => {
    const world = new ApprovalWorld()
    world.question = blue
    const { session, store } = await world.waiting(['a', 'b'])
    await decide(session, 'a', 'approve')
    const left = await world.crash(session, store)

    const { session: restored, recording } = await world.restore(left, session.id)
    await recording.waitFor('UserInputRequested')
    await restored.answer(questions(restored)[0]?.gateId as GateId, { answer: 'red' })
    await decide(restored, 'b', 'deny')
    await restored.waitIdle()

    expect(resultTexts(restored.history())[0]).toBe('red')
  })

  it('is `unavailable` where nobody is there, and the turn ends', async () => {
    const world = askingWorld()
    const { session, store } = await world.waiting(['a'])
    const left = await world.crash(session, store)

    const { session: restored, recording } = await world.restore(left, session.id, { headless: true })
    await restored.waitIdle()

    expect(recording.events('GateResolved')).toMatchObject([{ reason: 'denied', denial: 'approval_required' }])
    expect(resultTexts(restored.history())[0]).toMatch(/^unavailable/)
  })
})

describe('a question of a tool that was running at a restart', () => {
  it('is abandoned with its step, and a late answer is refused', async () => {
    const world = new ApprovalWorld()
    const ask = defineTool({
      name: 'edit',
      description: 'Asks while it runs.',
      replaySafe: true,
      inputSchema: z.strictObject({ value: z.string() }),
      prepare: () => ({ summary: 'ask', artifact: null, requirements: [] }),
      run: async (_, { requestUserInput }) => textResult((await requestUserInput?.(blue)) ?? ''),
    })
    const store = world.newStore()
    const responses = [calling({ name: 'edit', input: { value: 'a' } })]
    const session = await world.rig(store, { responses, tools: [ask] }).newSession()
    const before = recordSession(session)
    session.submit('Go')
    const { gateId } = await before.waitFor('UserInputRequested')
    const left = await world.crash(session, store)
    await session.shutdown()

    const { session: restored, recording } = await world.restore(left, session.id, { tools: [ask] })
    const resolved = await recording.waitFor('GateResolved')
    await recording.waitFor('TurnInterrupted')
    const late = await restored.answer(gateId, { answer: 'red' }).catch((error: unknown) => error)

    expect(resolved).toMatchObject({ gateId, reason: 'abandoned' })
    expect(late).toMatchObject({ code: 'already_resolved' })
    expect(resultTexts(restored.history())[0]).toMatch(/^not_executed/)
  })
})
