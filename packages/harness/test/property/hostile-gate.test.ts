/** A gate that says anything at all: only a clean word lets a call run, and the journal can be read again. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Gate } from '../../src/index.ts'
import { fakeClock } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'
import { calling, effectTool, kind, openSession, requirement, resultTexts } from '../session/open-session.ts'
import { expectLawful } from './journal-laws.ts'
import { settle } from './settle.ts'

const own = requirement('work:x')
const garbage = fc.constantFrom<unknown>(
  ...[undefined, null, 0, Number.NaN, '', 'allow', true, [], {}, [null], [own], new Map(), () => 1],
  ...[JSON.parse('{"then":1}'), [{ ...own, match: 'other' }], [own, own], new Error('secret')],
)
const maybe = (value: unknown) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: garbage })
const rule = { effect: 'allow', kind, match: 'work:x' }
const evaluation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        decision: fc.constantFrom('allow', 'allow', 'deny', 'ask', 'maybe'),
        reason: maybe('access_denied'),
        requirement: maybe(own),
        rule: maybe(rule),
        grants: maybe([]),
        unmet: maybe([own]),
        candidates: maybe([]),
        timeoutMs: maybe(60_000),
      },
      { requiredKeys: ['decision'] },
    ),
  },
  { weight: 1, arbitrary: garbage },
)

describe('a gate that says anything at all', () => {
  it('lets nothing run but by a clean word, and leaves a journal that can be read', { timeout: 120_000 }, async () => {
    const how = fc.constantFrom('gives', 'gives', 'gives', 'at once', 'throws', 'rejects')
    const gates = fc.record({ said: evaluation, how, fingerprint: maybe('confined'), headless: maybe(false) })
    await fc.assert(
      fc.asyncProperty(gates, async ({ said, how, fingerprint, headless }) => {
        const ran: string[] = []
        const clock = fakeClock()
        const evaluate = () => {
          if (how === 'throws') throw said
          if (how === 'at once') return said
          return how === 'rejects' ? Promise.reject(said) : Promise.resolve(said)
        }
        // proved by nothing: that is what is tried here
        const gate = { evaluate, headless, fingerprint: () => fingerprint } as unknown as Gate
        const { session, rig, store } = await openSession({
          ...{ clock, gate },
          responses: [calling({ name: 'work' }), { text: 'ok' }, { text: 'again' }],
          tools: [effectTool('work', (value) => void ran.push(value))],
        })

        const submission = session.submit('go')
        await settle(clock, submission.result(), () => {
          for (const open of session.gates()) session.answer(open.gateId, { action: 'deny' }).catch(() => undefined)
        })
        await settle(clock, session.submit('again').result())
        await settle(clock, session.shutdown())

        expect(session.fault).toBeUndefined()
        const [text = ''] = resultTexts(session.history())
        expect(ran, text).toEqual(/ did /.test(text) ? ['x'] : [])
        const word = said as { readonly decision?: unknown } | null | undefined
        if (how === 'throws' || how === 'rejects' || word?.decision !== 'allow') expect(ran).toEqual([])
        expectLawful(await readRecords(store, session.id), new Map())
        const restored = await rig.restoreSession(session.id)
        expect(restored.history()).toEqual(session.history())
        await restored.shutdown()
      }),
      { numRuns: 200 },
    )
  })
})
