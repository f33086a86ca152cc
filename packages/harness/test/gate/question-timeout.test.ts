import type { GateId } from '@looprig/core'
import { memoryStore } from '@looprig/store/memory'
import type { UserQuestion } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { DefinitionError, interactiveGate, type OpenGate } from '../../src/index.ts'
import { fakeClock } from '../../src/testing.ts'
import { allowing, calling, delivered, openSession, resultTexts } from '../session/open-session.ts'
import { type AskingTool, askingTool } from './asking-tool.ts'
import { questions } from './open-gates.ts'

const minute = 60_000
const blue: UserQuestion = { text: 'Which colour?', choices: ['red', 'blue'] }

const declared: AskingTool = { prepared: () => ({ requirements: [], question: blue }) }
const live: AskingTool = {
  prepared: () => ({ requirements: [] }),
  ran: async (_, context) => (await context.requestUserInput?.(blue)) ?? 'nobody',
}

async function asked(tool: AskingTool, questionTimeoutMs: number | undefined) {
  const time = { store: 1_000_000 }
  const clock = fakeClock()
  const store = memoryStore({ clock: () => time.store })
  const opened = await openSession({
    responses: [calling({ id: 'c1', name: 'touch', input: {} }), { text: 'ok' }],
    tools: [askingTool(tool)],
    gate: interactiveGate({ access: [allowing('ask')], questionTimeoutMs }),
    store,
    clock,
  })
  const turn = opened.session.submit('Go')
  await opened.recording.waitFor('UserInputRequested')
  await delivered()
  const pass = async (ms: number) => {
    time.store += ms
    await clock.advance(ms)
    await delivered()
  }
  return { ...opened, turn, pass, time, clock }
}

describe.each([
  ['that prepare returns', declared],
  ['of a running tool', live],
] as const)('a question %s, with a time limit', (_, tool) => {
  it('has no answer when its time is over: the model is told, and the turn goes on', async () => {
    const { session, turn, pass, recording } = await asked(tool, minute)
    const [open] = questions(session)

    await pass(minute - 1)
    const before = session.gates().length
    await pass(1)
    const result = await turn.result()

    expect(open?.expiresAtMs).toBe(1_000_000 + minute)
    expect(before).toBe(1)
    expect(result.status).toBe('done')
    expect(recording.events('GateResolved')).toMatchObject([{ reason: 'timeout' }])
    expect(resultTexts(session.history())).toEqual(['timed_out: nobody answered the question in time'])
  })

  it('takes an answer that comes before', async () => {
    const { session, turn, pass } = await asked(tool, minute)

    await session.answer(questions(session)[0]?.gateId as GateId, { answer: 'blue' })
    await pass(minute)
    await turn.result()

    expect(resultTexts(session.history())).toEqual(['blue'])
  })

  it('without a limit stays open', async () => {
    const { session, pass, clock } = await asked(tool, undefined)

    await pass(365 * 24 * 60 * minute)

    expect(session.gates()).toHaveLength(1)
    expect(session.gates()[0]).not.toHaveProperty('expiresAtMs')
    expect(clock.pending).toBe(0)
  })
})

describe('a question with a time limit, after a restart', () => {
  it('is still open until its time by the store, and over then', async () => {
    const { session, rig, pass, time, store } = await asked(declared, minute)
    const [open] = questions(session)
    await session.shutdown()
    expect((await store.ledger.find(session.id))?.wakeAt).toBe(1_000_000 + minute)
    await pass(minute / 2)

    const restored = await rig.restoreSession(session.id)
    expect(restored.gates()).toMatchObject([{ gateId: open?.gateId, expiresAtMs: 1_000_000 + minute }] as OpenGate[])
    await restored.shutdown()
    time.store += minute
    const late = rig.mailbox(session.id).answer(open?.gateId as GateId, { answer: 'blue' })
    await expect(late).rejects.toMatchObject({ code: 'gate_expired' })
    expect(await rig.due()).toEqual([session.id])

    await using last = await rig.restoreSession(session.id)
    await last.waitIdle()

    expect(resultTexts(last.history())).toEqual(['timed_out: nobody answered the question in time'])
  })

  it.each([0, 1.5, -1, Number.NaN])('cannot have the limit %d', (questionTimeoutMs) => {
    expect(() => interactiveGate({ access: [], questionTimeoutMs })).toThrow(DefinitionError)
  })
})
