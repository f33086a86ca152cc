import { describe, expect, it } from 'vitest'
import type { LoopOptions } from '../../src/index.ts'
import { openSteered } from '../queue/steered-session.ts'
import {
  callEvents,
  effectTool,
  model,
  openSession,
  resultTexts,
  streamingClient,
  textEvents,
} from '../session/open-session.ts'

const prices = { inputPerMillion: 1_000_000, outputPerMillion: 0, currency: 'USD' }

/** A client whose every response costs 10 tokens in and `out` tokens out, and calls until response `rounds`. */
function costlyClient(rounds: number, out = 0, reported = true) {
  return streamingClient(async function* (n) {
    if (n > rounds) yield* textEvents('enough')
    else yield* callEvents('c', 'work', '{}')
    const usage = reported ? { usage: { inputTokens: 10, outputTokens: out } } : {}
    yield { type: 'finish', reason: n > rounds ? 'stop' : 'tool_use', ...usage }
  })
}

async function runWith(limits: LoopOptions['limits'], client = costlyClient(4)) {
  const ran: string[] = []
  const opened = await openSession({
    client,
    tools: [effectTool('work', (value) => void ran.push(value))],
    limits,
    loop: { model: { ...model, prices } },
  })
  const result = await opened.session.submit('Go').result()
  return { ...opened, ran, result }
}

describe('a budget of tokens', () => {
  it('ends the turn before the request that would follow; what was done stays', async () => {
    const { result, requests, ran, session, types } = await runWith({ tokens: 20 })

    expect(result).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' }, usage: { inputTokens: 20 } })
    expect([requests.length, ran.length]).toEqual([2, 2])
    expect(resultTexts(session.history())).toEqual(['work did x', 'work did x'])
    expect((await types()).slice(-4)).toEqual(['StepDone', 'TurnFailed', 'LoopIdle', 'SessionIdle'])
  })

  it('takes a final answer that passes it', async () => {
    const { result } = await runWith({ tokens: 20 }, costlyClient(1, 500))
    const late = await runWith({ tokens: 511 }, costlyClient(1, 500))

    expect(result).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' } })
    expect(late.result).toMatchObject({ status: 'done', usage: { inputTokens: 20, outputTokens: 1_000 } })
  })

  it('is of one turn: the next one has its own', async () => {
    const { session, requests } = await runWith({ tokens: 20 })
    const before = requests.length

    const next = await session.submit('Go on').result()

    expect(next).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' } })
    expect(requests.length - before).toBe(2)
  })

  it('stops a model that reports no usage after its first calls', async () => {
    const { result, requests } = await runWith({ tokens: 1_000_000 }, costlyClient(4, 0, false))

    expect(result).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' } })
    expect(requests).toHaveLength(1)
  })

  it('cancels what waits instead of having it join a turn that ends', async () => {
    const { session, first, goOn, recording } = await openSteered({ limits: { tokens: 1 } })
    const waiting = session.submit('a')
    await waiting.accepted

    goOn()
    const results = await Promise.all([first.result(), waiting.result()])

    expect(results.map(({ status }) => status)).toEqual(['failed', 'cancelled'])
    expect(recording.events('TurnFoldedInto')).toEqual([])
  })
})

describe('a budget of money', () => {
  it('ends the turn by the prices of its model', async () => {
    const { result, requests } = await runWith({ cost: 30 })

    expect(result).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' }, usage: { inputTokens: 30 } })
    expect(requests).toHaveLength(3)
  })

  it('never ends one that stays within it', async () => {
    expect((await runWith({ cost: 30.1 }, costlyClient(2))).result.status).toBe('done')
  })
})
