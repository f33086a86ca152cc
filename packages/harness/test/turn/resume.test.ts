import type { InferenceClient } from '@looprig/inference'
import { describe, expect, it } from 'vitest'
import { interactiveGate, type LoopOptions } from '../../src/index.ts'
import { saidIn } from '../queue/steered-session.ts'
import {
  allowing,
  callEvents,
  effectTool,
  model,
  openSession,
  resultTexts,
  streamingClient,
  textEvents,
} from '../session/open-session.ts'

const prices = { inputPerMillion: 1_000_000, outputPerMillion: 0, currency: 'USD' }

/** A client that first calls what needs nobody, then what needs a person, then again and again; 10 tokens each time. */
function callingClient(rounds: number): InferenceClient {
  return streamingClient(async function* (n, _signal, request) {
    const isLast = n > rounds
    const tools = request.tools?.map(({ name }) => name) ?? []
    if (isLast) yield* textEvents(`${request.model.name} with ${tools.join()}`)
    else yield* callEvents(`c${n}`, n === 2 ? 'ask' : 'work', '{}')
    yield { type: 'finish', reason: isLast ? 'stop' : 'tool_use', usage: { inputTokens: 10, outputTokens: 0 } }
  })
}

/** A session that is parked at the gate of its second step, with an input behind the turn, and restored. */
async function openResumed(
  setup: { limits?: LoopOptions['limits']; rounds?: number; loop?: Partial<LoopOptions> } = {},
) {
  const { limits, rounds = 3 } = setup
  const opened = await openSession({
    client: callingClient(rounds),
    tools: [effectTool('work', () => undefined), effectTool('ask', () => undefined)],
    gate: interactiveGate({ access: [allowing(({ match }) => (match.startsWith('ask') ? 'ask' : 'allow'))] }),
    limits,
    loop: { model: { ...model, prices }, ...setup.loop },
  })
  const { session, rig, recording } = opened
  const first = session.submit('first')
  await recording.waitFor('PermissionRequested')
  const behind = session.submit('behind')
  await behind.accepted
  return {
    ...opened,
    first,
    behind,
    restore: async () => {
      await session.shutdown()
      const restored = await rig.restoreSession(session.id)
      const ids = { inputId: first.inputId }
      return {
        restored,
        again: restored.submit('first', ids),
        later: restored.submit('behind', { inputId: behind.inputId }),
      }
    },
  }
}

describe('a turn that a restore goes on with', () => {
  it('ends as if nothing had happened, and takes in what came meanwhile', async () => {
    const { restore, first, requests } = await openResumed()
    const { restored, again, later } = await restore()
    const [gate] = restored.gates()
    if (gate !== undefined) await restored.answer(gate.gateId, { action: 'approve' })

    const [result, joined] = await Promise.all([again.result(), later.result()])
    await restored.shutdown()

    expect((await first.result()).status).toBe('waiting')
    expect(result).toMatchObject({ status: 'done', usage: { inputTokens: 40 } })
    expect(joined).toEqual({ ...result, inputId: later.inputId })
    expect(requests.map(saidIn).at(-1)).toEqual(['first', 'behind'])
    expect(resultTexts(restored.history())).toEqual(['work did x', 'ask did x', 'work did x'])
  })

  it.each<[string, LoopOptions['limits'], string]>([
    ['rounds of calls', { iterations: 2 }, 'tool_limit'],
    ['calls', { calls: 2 }, 'tool_limit'],
    ['tokens', { tokens: 20 }, 'budget_exceeded'],
    ['money', { cost: 20 }, 'budget_exceeded'],
  ])('has the %s that it had left', async (_name, limits, code) => {
    const { restore } = await openResumed({ limits, rounds: 3 })
    const { restored, again } = await restore()
    const [gate] = restored.gates()
    if (gate !== undefined) await restored.answer(gate.gateId, { action: 'approve' })

    const result = await again.result()
    await restored.shutdown()

    expect(result).toMatchObject({ status: 'failed', error: { code } })
  })

  it('keeps the mode and the model that it began with', async () => {
    const { session, restore } = await openResumed({
      rounds: 2,
      loop: { modes: [{ name: 'chat', tools: [], model: { provider: 'scripted', name: 'other' } }], initialMode: '' },
    })
    await session.setMode('chat')
    const { restored, again } = await restore()
    const before = restored.mode
    const [gate] = restored.gates()
    if (gate !== undefined) await restored.answer(gate.gateId, { action: 'approve' })

    const result = await again.result()
    const next = await restored.submit('next', { noFold: true }).result()
    await restored.shutdown()

    expect(before).toBe('chat')
    expect(result).toMatchObject({ status: 'done', text: 'm with work,ask' })
    expect(next).toMatchObject({ status: 'done', text: 'other with ' })
  })

  it('may be interrupted: what agents and people said since is treated as ever', async () => {
    const { restore } = await openResumed()
    const { restored, again, later } = await restore()

    const interrupted = await restored.interrupt()
    const results = await Promise.all([again.result(), later.result()])
    await restored.shutdown()

    expect(interrupted).toBe(true)
    expect(results.map(({ status }) => status)).toEqual(['interrupted', 'done'])
  })

  it('may be parked again', async () => {
    const { restore, rig, session } = await openResumed()
    const { restored, again } = await restore()
    await restored.shutdown()

    await using third = await rig.restoreSession(session.id)

    expect((await again.result()).status).toBe('waiting')
    expect(third.gates()).toHaveLength(1)
  })
})
