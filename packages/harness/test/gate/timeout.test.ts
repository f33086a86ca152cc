import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { type GateAction, interactiveGate } from '../../src/index.ts'
import { fakeClock } from '../../src/testing.ts'
import { allowing, calling, delivered, effectTool, openSession, resultTexts } from '../session/open-session.ts'
import { permissions } from './open-gates.ts'

const minute = 60_000

/** Has the model call `touch` for each value under a gate with a limit, in a store with a time of its own. */
async function askFor(values: readonly string[], timeoutMs: number | undefined) {
  const time = { store: 1_000_000 }
  const clock = fakeClock()
  const ran: string[] = []
  const store = memoryStore({ clock: () => time.store })
  const opened = await openSession({
    responses: [calling(...values.map((value) => ({ id: value, name: 'touch', input: { value } }))), { text: 'ok' }],
    tools: [effectTool('touch', (value) => void ran.push(value))],
    gate: interactiveGate({ access: [allowing('ask')], timeoutMs }),
    store,
    clock,
  })
  const submission = opened.session.submit('Go')
  await opened.recording.waitFor('PermissionRequested', values.length)
  await delivered()
  /** Both clocks pass. */
  const pass = async (ms: number) => {
    time.store += ms
    await clock.advance(ms)
    await delivered()
  }
  const answer = (index: number, action: GateAction) => {
    const gate = permissions(opened.session)[index]
    return gate === undefined ? Promise.reject(new Error('no gate')) : opened.session.answer(gate.gateId, { action })
  }
  const wakeAt = async () => (await store.ledger.find(opened.session.id))?.wakeAt
  return { ...opened, submission, clock, time, ran, pass, answer, wakeAt }
}

describe('a gate with a time limit', () => {
  it('is denied when nobody answered in time, and the turn goes on', async () => {
    const { session, recording, submission, pass, ran } = await askFor(['a'], minute)
    const [open] = permissions(session)

    await pass(minute - 1)
    const before = session.gates().length
    await pass(1)
    const result = await submission.result()

    expect(open?.expiresAtMs).toBe(1_000_000 + minute)
    expect(before).toBe(1)
    expect(result.status).toBe('done')
    expect(ran).toEqual([])
    expect(recording.events('GateResolved')).toMatchObject([{ reason: 'timeout' }])
    expect(resultTexts(session.history())).toEqual([
      'permission denied [timeout]: nobody answered in time: touch touch:a',
    ])
  })

  it('goes by the store’s time, whatever the clock of the process says', async () => {
    const { session, clock, time, pass, recording } = await askFor(['a'], minute)

    await clock.advance(60 * minute)
    await delivered()
    const early = session.gates().length
    time.store += minute
    await pass(minute)

    expect(early).toBe(1)
    expect(recording.events('GateResolved')).toMatchObject([{ reason: 'timeout' }])
  })

  it('keeps an answer that came before, and refuses one that comes after', async () => {
    const { session, answer, pass, ran, recording, submission } = await askFor(['a', 'b'], minute)
    const [, second] = permissions(session)

    await answer(0, 'approve')
    await pass(minute)
    const late = await session.answer(second?.gateId as never, { action: 'approve' }).catch((error: unknown) => error)
    await submission.result()

    expect(recording.events('GateResolved')).toMatchObject([{ reason: 'answered' }, { reason: 'timeout' }])
    expect(late).toMatchObject({ code: 'already_resolved', action: undefined })
    expect(ran).toEqual(['a'])
  })

  it('is decided once when the answer and the end come in one tick', async () => {
    for (const first of ['answer', 'end'] as const) {
      const { answer, pass, time, clock, recording, submission, ran } = await askFor(['a'], minute)
      const outcomes =
        first === 'answer'
          ? [answer(0, 'approve'), pass(minute)]
          : [pass(minute), delivered().then(() => answer(0, 'approve'))]
      await Promise.allSettled(outcomes)
      time.store += minute
      await clock.advance(minute)
      await submission.result()

      const [resolved, ...more] = recording.events('GateResolved')
      expect(more).toEqual([])
      expect(ran).toEqual(resolved?.reason === 'answered' ? ['a'] : [])
    }
  })

  it('tells workers when its session has work without an owner, for as long as it is open', async () => {
    const { answer, wakeAt, submission } = await askFor(['a', 'b'], minute)

    const open = await wakeAt()
    await answer(0, 'deny')
    const one = await wakeAt()
    await answer(0, 'deny')
    await submission.result()
    await delivered()

    expect([open, one]).toEqual([1_000_000 + minute, 1_000_000 + minute])
    expect(await wakeAt()).toBeUndefined()
  })

  it('does not hold a timer once it is closed', async () => {
    const { answer, clock, submission } = await askFor(['a'], minute)
    const before = clock.pending

    await answer(0, 'deny')
    await submission.result()
    await delivered()

    expect(before).toBe(1)
    expect(clock.pending).toBe(0)
  })
})

describe('a gate without a time limit', () => {
  it('stays open and sets no timer', async () => {
    const { session, clock, pass, wakeAt } = await askFor(['a'], undefined)

    await pass(365 * 24 * 60 * minute)

    expect(session.gates()).toHaveLength(1)
    expect(permissions(session)[0]).not.toHaveProperty('expiresAtMs')
    expect(clock.pending).toBe(0)
    expect(await wakeAt()).toBeUndefined()
  })
})
