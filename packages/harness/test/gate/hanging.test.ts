/** What others wrote and that never answers: it holds up no turn, and what it was asked about does not happen. */
import type { RuleCandidate } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { DefinitionError, defineHooks, type Gate, interactiveGate } from '../../src/index.ts'
import { fakeClock } from '../../src/testing.ts'
import {
  allowing,
  calling,
  delivered,
  effectTool,
  openSession,
  resultTexts,
  type Setup,
} from '../session/open-session.ts'
import { askingTool } from './asking-tool.ts'
import { permissions } from './open-gates.ts'

const never = () => new Promise<never>(() => undefined)

async function hanging(setup: Partial<Setup>) {
  const clock = fakeClock()
  const ran: string[] = []
  const opened = await openSession({
    responses: [calling({ id: 'c1', name: 'act', input: {} }), { text: 'ok' }],
    tools: [effectTool('act', (value) => void ran.push(value))],
    clock,
    ...setup,
  })
  return { ...opened, clock, ran, turn: opened.session.submit('go') }
}

describe('a gate that never answers', () => {
  it.each<readonly [string, Partial<Gate>]>([
    ['says nothing of a call', { evaluate: never }],
    [
      'has a rule source that says nothing',
      interactiveGate({
        access: [allowing('ask')],
        rules: { source: { denies: never, allows: never } },
      }),
    ],
  ])('denies after 30 s when it %s', async (_, gate) => {
    const { session, turn, clock, ran, recording } = await hanging({ gate: gate as Gate })

    await clock.whenPending()
    await clock.advance(29_999)
    const early = session.history().length
    await clock.advance(1)
    await turn.result()

    expect(early).toBe(1)
    expect(ran).toEqual([])
    expect(recording.events('PermissionDecided')).toMatchObject([{ effect: 'deny', reason: 'access_error' }])
    expect(resultTexts(session.history())).toEqual(['permission denied [unavailable]: touch act:x'])
  })

  it('keeps a call from running whose rules it never saves', async () => {
    const saved: (readonly RuleCandidate[])[] = []
    const clock = fakeClock()
    const source = { denies: async () => undefined, allows: async () => undefined }
    const writeRules = (rules: readonly RuleCandidate[]) => {
      saved.push(rules)
      return never()
    }
    const ran: string[] = []
    const { session, recording } = await openSession({
      responses: [calling({ id: 'c1', name: 'touch', input: {} }), { text: 'ok' }],
      tools: [askingTool({ ran: (value) => void ran.push(value) })],
      gate: interactiveGate({ access: [allowing('ask')], rules: { source, writer: { writeRules } } }),
      clock,
    })
    const turn = session.submit('go')
    await recording.waitFor('PermissionRequested')
    const [gate] = permissions(session)

    await session.answer(gate?.gateId as never, { action: 'approve_always' })
    await clock.whenPending()
    await clock.advance(30_000)
    await turn.result()

    expect(saved).toHaveLength(1)
    expect(ran).toEqual([])
    expect(resultTexts(session.history())[0]).toMatch(/^rule_not_saved/)
  })

  it('costs no timer when it answers', async () => {
    const { turn, clock } = await hanging({})
    await turn.result()
    await delivered()

    expect(clock.pending).toBe(0)
  })
})

describe('a guard that never answers', () => {
  const hooks = (operation: 'turn' | 'inference' | 'tool_call', guardTimeoutMs?: number) =>
    defineHooks({ policyRevision: '1', guards: [{ operation, check: never }], guardTimeoutMs })

  it('denies a call after its time', async () => {
    const { session, turn, clock, ran } = await hanging({ hooks: hooks('tool_call') })

    await clock.whenPending()
    await clock.advance(30_000)
    await turn.result()

    expect(ran).toEqual([])
    expect(resultTexts(session.history())[0]).toMatch(/guards\[0\] failed/)
  })

  it('denies a turn after the time that it was given', async () => {
    const { turn, clock } = await hanging({ hooks: hooks('turn', 100) })

    await clock.whenPending()
    await clock.advance(100)

    expect(await turn.result()).toMatchObject({
      status: 'rejected',
      error: { message: expect.stringContaining('guards[0] failed') },
    })
  })

  it('denies a request after its time', async () => {
    const { turn, clock, requests } = await hanging({ hooks: hooks('inference') })

    await clock.whenPending()
    await clock.advance(30_000)

    expect(await turn.result()).toMatchObject({ status: 'failed', error: { code: 'guard_failed' } })
    expect(requests).toEqual([])
  })

  it.each([0, -1, Number.NaN, 86_400_001])('cannot have the time %d', (guardTimeoutMs) => {
    expect(() => hooks('turn', guardTimeoutMs)).toThrow(DefinitionError)
  })
})
