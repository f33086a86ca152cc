import { type AccessSource, defineTool, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DefinitionError, type Gate, headlessGate, interactiveGate } from '../../src/index.ts'
import {
  allowing,
  calling,
  effectTool,
  openSession,
  requirement,
  resultsOf,
  resultTexts,
} from '../session/open-session.ts'

/** Runs one call of an effectful tool under a gate, and tells what came of it. */
async function callUnder(gate: Gate | null) {
  const ran: string[] = []
  const tool = effectTool('touch', (value) => void ran.push(value))
  const responses = [calling({ name: 'touch', input: { value: 'v' } }), { text: 'ok' }]
  const opened = await openSession({ responses, tools: [tool], gate })
  const result = await opened.session.submit('Go').result()
  await opened.recording.waitFor('SessionIdle')
  const history = opened.session.history()
  const [decided] = opened.recording.events('PermissionDecided')
  return { ...opened, result, ran, decided, message: resultsOf(history)[0], text: resultTexts(history)[0] }
}

const kinds = [
  ['headlessGate', headlessGate],
  ['interactiveGate', interactiveGate],
] as const

describe.each(kinds)('%s', (_name, makeGate) => {
  it('runs what configuration allows, without a question', async () => {
    const { ran, decided, types } = await callUnder(makeGate({ access: [allowing('allow')] }))

    expect(ran).toEqual(['v'])
    expect(decided).toMatchObject({ effect: 'approve', reason: 'access_evaluated', subject: 'touch' })
    expect(await types()).not.toContain('PermissionRequested')
  })

  it('denies what configuration denies; the model reads it and goes on', async () => {
    const { ran, decided, message, text, result } = await callUnder(makeGate({ access: [allowing('deny')] }))

    expect(ran).toEqual([])
    expect(result).toMatchObject({ status: 'done', text: 'ok' })
    expect(message?.isError).toBe(true)
    expect(text).toBe('permission denied [out of scope]: touch touch:v')
    expect(decided).toMatchObject({ effect: 'deny', reason: 'access_denied' })
  })

  it.each<[string, () => readonly AccessSource[]]>([
    ['misses the kind', () => []],
    ['answers for other kinds', () => [{ kinds: ['other'], accessFor: () => 'allow' }]],
    [
      'throws',
      () => [
        allowing(() => {
          throw new Error('sentinel')
        }),
      ],
    ],
    ['answers nonsense', () => [allowing(() => 'yes' as 'allow')]],
    ['answers true', () => [allowing(() => true as unknown as 'allow')]],
    ['answers with a promise', () => [allowing((async () => 'allow') as unknown as () => 'allow')]],
    [
      'answers with a promise that rejects',
      () => [
        allowing((async () => {
          throw new Error('sentinel')
        }) as unknown as () => 'allow'),
      ],
    ],
    [
      'changes the request',
      () => [
        allowing((asked) => {
          Object.assign(asked, { scope: 'mine' })
          return 'allow'
        }),
      ],
    ],
  ])('denies when its access %s', async (_case, access) => {
    const { ran, decided, text } = await callUnder(makeGate({ access: access() }))

    expect(ran).toEqual([])
    expect(text).toBe('permission denied [unavailable]: touch touch:v')
    expect(decided).toMatchObject({ effect: 'deny', reason: 'access_error' })
  })

  it('refuses two sources for one kind', () => {
    expect(() => makeGate({ access: [allowing('allow'), allowing('deny')] })).toThrow(DefinitionError)
  })

  it('lets a denial win over what else would be asked', async () => {
    const gate = makeGate({ access: [allowing(({ match }) => (match === 'b' ? 'deny' : 'ask'))] })
    const requirements = ['a', 'b', 'c'].map(requirement)

    const evaluation = await gate.evaluate({ toolName: 't', summary: 's', requirements })

    expect(evaluation).toEqual({ decision: 'deny', reason: 'access_denied', requirement: requirements[1] })
  })
})

describe('headlessGate', () => {
  it('denies what it would have to ask at once, naming the requirement', async () => {
    const { ran, decided, text, session, types } = await callUnder(headlessGate({ access: [allowing('ask')] }))

    expect(ran).toEqual([])
    expect(text).toBe('permission denied [not authorized]: touch touch:v')
    expect(decided).toMatchObject({ effect: 'deny', reason: 'approval_required' })
    expect(session.gates()).toEqual([])
    expect(await types()).not.toContain('PermissionRequested')
  })
})

describe('interactiveGate', () => {
  it('asks for exactly what is unmet', async () => {
    const gate = interactiveGate({ access: [allowing(({ match }) => (match === 'a' ? 'allow' : 'ask'))] })
    const requirements = ['a', 'b', 'c'].map(requirement)

    const evaluation = await gate.evaluate({ toolName: 't', summary: 's', requirements })

    expect(evaluation).toEqual({ decision: 'ask', unmet: requirements.slice(1) })
  })
})

describe('evaluate of a loop', () => {
  it('denies every call that needs access where there is no gate', async () => {
    const { ran, decided, text } = await callUnder(null)

    expect(ran).toEqual([])
    expect(text).toBe('permission denied [unavailable]: touch touch:v')
    expect(decided).toMatchObject({ effect: 'deny', reason: 'access_gate_missing' })
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('sentinel')
      },
    ],
    ['rejects', () => Promise.reject(new Error('sentinel'))],
    ['says nothing', async () => undefined],
    ['says something else', async () => ({ decision: 'yes' })],
    ['asks for nothing', async () => ({ decision: 'ask', unmet: [] })],
    ['asks without saying for what', async () => ({ decision: 'ask' })],
    ['asks for what the call does not need', async () => ({ decision: 'ask', unmet: [requirement('else')] })],
    ['denies for a reason that is none', async () => ({ decision: 'deny', reason: 'mood' })],
    [
      'answers for all time with a getter that throws',
      async () => ({
        get decision() {
          throw new Error('sentinel')
        },
      }),
    ],
  ])('denies when a gate of one’s own %s', async (_name, evaluate) => {
    const { ran, decided, session } = await callUnder({ evaluate } as unknown as Gate)

    expect(ran).toEqual([])
    expect(decided).toMatchObject({ effect: 'deny', reason: 'access_error' })
    expect(session.fault).toBeUndefined()
  })

  it('asks the gate once per call, in call order', async () => {
    const asked: string[] = []
    const gate = headlessGate({
      access: [
        allowing(({ match }) => {
          asked.push(match)
          return 'allow'
        }),
      ],
    })
    const calls = ['1', '2', '3'].map((value) => ({ name: 'touch', input: { value } }))
    const { session } = await openSession({
      responses: [calling(...calls), { text: 'ok' }],
      tools: [effectTool('touch', () => undefined)],
      gate,
    })

    await session.submit('Go').result()

    expect(asked).toEqual(['touch:1', 'touch:2', 'touch:3'])
  })

  it('writes no decision for a call that needs no access', async () => {
    const look = defineTool({
      name: 'look',
      description: 'Needs nothing.',
      inputSchema: z.strictObject({}),
      prepare: () => ({ summary: 'look', artifact: null, requirements: [] }),
      run: () => textResult('seen'),
    })
    const { session, types } = await openSession({
      responses: [calling({ name: 'look' }), { text: 'ok' }],
      tools: [look],
      gate: null,
    })

    await session.submit('Go').result()

    expect(resultTexts(session.history())).toEqual(['seen'])
    expect(await types()).not.toContain('PermissionDecided')
  })
})
