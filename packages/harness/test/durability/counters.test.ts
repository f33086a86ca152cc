import { describe, expect, it } from 'vitest'
import { interactiveGate, type LoopOptions, type Session } from '../../src/index.ts'
import {
  allowing,
  callEvents,
  effectTool,
  model,
  openSession,
  streamingClient,
  textEvents,
} from '../session/open-session.ts'

const prices = { inputPerMillion: 1_000_000, outputPerMillion: 0, currency: 'USD' }

/** Opens a session whose model calls `rounds` times, the second time what needs a person, ten tokens each time. */
function openCounted(rounds: number, limits: LoopOptions['limits']) {
  return openSession({
    client: streamingClient(async function* (n) {
      const isLast = n > rounds
      if (isLast) yield* textEvents('done')
      else yield* callEvents(`c${n}`, n === 2 ? 'ask' : 'work', '{}')
      const usage = { inputTokens: 10, outputTokens: 0 }
      yield { type: 'finish', reason: isLast ? 'stop' : 'tool_use', usage }
    }),
    tools: [effectTool('work', () => undefined), effectTool('ask', () => undefined)],
    gate: interactiveGate({ access: [allowing(({ match }) => (match.startsWith('ask') ? 'ask' : 'allow'))] }),
    limits,
    loop: { model: { ...model, prices } },
  })
}

async function approveAll(session: Session): Promise<void> {
  while ((await session.waitIdle({ orWaiting: true })) === 'waiting') {
    for (const { gateId } of session.gates()) await session.answer(gateId, { action: 'approve' })
  }
}

/** What comes of a turn of so many rounds of calls, parked at its gate or not. */
async function outcomeOf(rounds: number, limits: LoopOptions['limits'], isParked: boolean) {
  const { session, rig, recording } = await openCounted(rounds, limits)
  const submission = session.submit('go')
  await Promise.race([recording.waitFor('PermissionRequested'), submission.result()])
  let owner = session
  if (isParked) {
    await session.shutdown()
    owner = await rig.restoreSession(session.id)
  }
  await approveAll(owner)
  const { status, error, usage } = await owner.submit('go', { inputId: submission.inputId }).result()
  const messages = owner.history().length
  await owner.shutdown()
  return { status, error, usage, messages }
}

describe('a turn that a restore goes on with at a gate', () => {
  it.each<[string, LoopOptions['limits']]>([
    ['rounds of calls', { iterations: 3 }],
    ['calls', { calls: 3 }],
    ['tokens', { tokens: 35 }],
    ['money', { cost: 35 }],
  ])('has exactly the %s that it had left, no more and no less', async (_, limits) => {
    const [whole, parked] = [[], []] as [unknown[], unknown[]]
    for (const rounds of [2, 3, 4, 5]) {
      whole.push(await outcomeOf(rounds, limits, false))
      parked.push(await outcomeOf(rounds, limits, true))
    }

    expect(parked).toEqual(whole)
    // the limit lies within what was tried
    expect(new Set(whole.map((outcome) => (outcome as { readonly status: string }).status))).toEqual(
      new Set(['done', 'failed']),
    )
  })
})
