import type { GateId } from '@looprig/core'
import { memoryStore } from '@looprig/store/memory'
import { expect, it } from 'vitest'
import { interactiveGate } from '../../src/index.ts'
import { allowing, calling, openSession, resultTexts } from '../session/open-session.ts'
import { askingTool } from './asking-tool.ts'

/** A small generator of numbers: the same seed gives the same run. */
function random(seed: number): (below: number) => number {
  let state = seed + 1
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

it('an interrupt and an approval in one tick leave one resolution, one end, and a step that says what happened', async () => {
  const seen = new Set<string>()
  for (let seed = 0; seed < 1_000; seed += 1) {
    const next = random(seed)
    let effects = 0
    const store = memoryStore()
    const { session, rig, recording } = await openSession({
      responses: [calling({ name: 'touch' }), { text: 'ok' }],
      tools: [
        askingTool({
          ran: () => {
            effects += 1
          },
        }),
      ],
      gate: interactiveGate({ access: [allowing('ask')] }),
      store,
    })
    const submission = session.submit('Go')
    const { gateId } = await recording.waitFor('PermissionRequested')
    const answering = next(2) === 0 ? session : rig.mailbox(session.id)
    const answer = async (id: GateId) => answering.answer(id, { action: 'approve' }).catch(() => undefined)
    const pause = async (turns: number) => {
      for (let left = turns; left > 0; left -= 1) await Promise.resolve()
    }
    await Promise.all([pause(next(24)).then(() => answer(gateId)), pause(next(24)).then(() => session.interrupt())])
    await submission.result()
    await session.shutdown()
    await recording.ended

    const [result = ''] = resultTexts(session.history())
    const ends = recording.events('TurnDone').length + recording.events('TurnInterrupted').length
    expect([recording.events('GateResolved').length, ends, session.fault], `seed ${seed}`).toEqual([1, 1, undefined])
    expect(result, `seed ${seed}`).toMatch(effects === 0 ? /^not_executed/ : /^(touch did x|outcome_unknown)/)
    expect(effects).toBeLessThanOrEqual(1)
    seen.add(`${recording.events('GateResolved')[0]?.reason} ${effects}`)
  }
  expect(seen).toContain('abandoned 0')
  expect(seen).toContain('answered 1')
}, 60_000)
