import type { Requirement, RuleSource } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { DefinitionError, type Gate, headlessGate, interactiveGate } from '../../src/index.ts'
import { allowing, calling, delivered, kind, openSession, requirement, resultTexts } from '../session/open-session.ts'
import { askingTool } from './asking-tool.ts'
import { permissions } from './open-gates.ts'
import { RuleBook } from './rule-book.ts'

const request = (...requirements: readonly Requirement[]) => ({ toolName: 't', summary: 's', requirements })

/** Has the model call `touch` for each value under a gate, and waits for the end of the turn or for a question. */
async function callUnder(gate: Gate, ...values: readonly string[]) {
  const ran: string[] = []
  const opened = await openSession({
    responses: [calling(...values.map((value) => ({ id: value, name: 'touch', input: { value } }))), { text: 'ok' }],
    tools: [askingTool({ ran: (value) => void ran.push(value) })],
    gate,
  })
  const submission = opened.session.submit('Go')
  await opened.session.waitIdle({ orWaiting: true })
  await delivered()
  return { ...opened, submission, ran }
}

describe('the order in which a request is judged', () => {
  it('stops at configured access that denies, and reads no rule', async () => {
    const book = new RuleBook()
    const access = [allowing(({ match }) => (match === 'b' ? 'deny' : 'ask'))]
    const gate = interactiveGate({ access, rules: { source: book } })

    const evaluation = await gate.evaluate(request(requirement('a'), requirement('b')))

    expect(evaluation).toMatchObject({ decision: 'deny', reason: 'access_denied', requirement: { match: 'b' } })
    expect(book.asked).toEqual([])
  })

  it('reads all rules that deny before one that allows', async () => {
    const book = new RuleBook()
    book.allowed.add('a').add('b')
    book.denied.add('b')
    const gate = interactiveGate({ access: [allowing('ask')], rules: { source: book } })

    const evaluation = await gate.evaluate(request(requirement('a'), requirement('b')))

    expect(evaluation).toMatchObject({ decision: 'deny', reason: 'rule_denied', rule: { effect: 'deny', match: 'b' } })
    expect(book.asked).toEqual(['deny a', 'deny b'])
  })

  it('reads rules only about what configuration leaves open', async () => {
    const book = new RuleBook()
    book.denied.add('a')
    const access = [allowing(({ match }) => (match === 'a' ? 'allow' : 'ask'))]
    const gate = interactiveGate({ access, rules: { source: book } })

    const evaluation = await gate.evaluate(request(requirement('a'), requirement('b')))

    expect(evaluation).toMatchObject({ decision: 'ask', unmet: [{ match: 'b' }] })
    expect(book.asked).toEqual(['deny b', 'allow b'])
  })

  it('asks once for all that is unmet, with every candidate once', async () => {
    const book = new RuleBook()
    book.allowed.add('b')
    const gate = interactiveGate({ access: [allowing('ask')], rules: { source: book, writer: book } })
    const candidate = (match: string) => ({ kind, match, description: match })
    const asking = ['a', 'b', 'c'].map((match) => ({
      ...requirement(match),
      candidates: [candidate(match), candidate('all')],
    }))

    const evaluation = await gate.evaluate(request(...asking))

    expect(evaluation).toMatchObject({ decision: 'ask', unmet: [{ match: 'a' }, { match: 'c' }] })
    expect(evaluation).toHaveProperty('candidates', ['a', 'all', 'c'].map(candidate))
  })

  it('allows by a rule without a question, and says which', async () => {
    const book = new RuleBook()
    book.allowed.add('a')
    const { ran, recording, session } = await callUnder(
      interactiveGate({ access: [allowing('ask')], rules: { source: book, writer: book } }),
      'a',
    )

    expect(ran).toEqual(['a'])
    expect(recording.events('PermissionDecided')).toMatchObject([
      { effect: 'approve', reason: 'rule_allowed', rule: { effect: 'allow', kind, match: 'a' } },
    ])
    expect(session.gates()).toEqual([])
  })

  it('denies by a rule even where another allows, without a question', async () => {
    const book = new RuleBook()
    book.allowed.add('a')
    book.denied.add('a')
    const { ran, recording, session, types } = await callUnder(
      interactiveGate({ access: [allowing('ask')], rules: { source: book, writer: book } }),
      'a',
    )

    expect(ran).toEqual([])
    expect(resultTexts(session.history())).toEqual(['permission denied [not authorized]: touch a'])
    expect(recording.events('PermissionDecided')).toMatchObject([{ effect: 'deny', reason: 'rule_denied' }])
    expect(await types()).not.toContain('PermissionRequested')
  })

  it('offers the three actions, and the candidates that the third would save', async () => {
    const book = new RuleBook()
    const gate = interactiveGate({ access: [allowing('ask')], rules: { source: book, writer: book } })
    const { session, recording } = await callUnder(gate, 'a')

    const [open] = permissions(session)
    expect(open?.actions).toEqual(['approve', 'approve_always', 'deny'])
    expect(open?.candidates).toEqual([{ kind, match: 'a', description: 'touch a' }])
    expect(recording.events('PermissionRequested')[0]).toMatchObject({ candidates: open?.candidates })
  })

  it.each([
    ['nothing to save', new RuleBook(), { candidates: [] }],
    ['nowhere to keep it', undefined, {}],
  ])('does not offer to save with %s', async (_name, writer, more) => {
    const source = new RuleBook()
    const { session } = await openSession({
      responses: [calling({ name: 'touch' }), { text: 'ok' }],
      tools: [askingTool({ prepared: () => ({ requirements: [{ ...requirement('x'), ...more }] }) })],
      gate: interactiveGate({
        access: [allowing('ask')],
        rules: { source, ...(writer === undefined ? {} : { writer }) },
      }),
    })
    session.submit('Go')
    await session.waitIdle({ orWaiting: true })

    expect(permissions(session)[0]?.actions).toEqual(['approve', 'deny'])
    expect(permissions(session)[0]).not.toHaveProperty('candidates')
  })
})

describe('a rule source that fails', () => {
  const sentinel = () => {
    throw new Error('SENTINEL')
  }

  it.each<[string, Partial<RuleSource>]>([
    ['throws for a denial', { denies: sentinel }],
    ['throws for a permission', { allows: sentinel }],
    ['rejects', { denies: () => Promise.reject(new Error('SENTINEL')) }],
    ['says yes', { allows: () => true as never }],
    ['says no', { denies: () => false as never }],
    ['says null', { denies: () => null as never }],
    ['gives a rule of the other effect', { allows: ({ match }) => ({ effect: 'deny', kind, match }) }],
    ['gives half a rule', { allows: () => ({ effect: 'allow', kind }) as never }],
    [
      'gives a rule that cannot be read',
      {
        allows: () =>
          Object.defineProperty({ effect: 'allow' }, 'kind', {
            get: sentinel,
          }) as never,
      },
    ],
  ])('denies when it %s', async (_name, broken) => {
    const source: RuleSource = { denies: () => undefined, allows: () => undefined, ...broken }
    const { ran, session, recording } = await callUnder(
      interactiveGate({ access: [allowing('ask')], rules: { source } }),
      'a',
    )

    expect(ran).toEqual([])
    expect(recording.events('PermissionDecided')).toMatchObject([{ effect: 'deny', reason: 'rule_error' }])
    expect(JSON.stringify([recording.deliveries, session.history()])).not.toContain('SENTINEL')
  })

  it('does not hold up an interrupt when it never answers', async () => {
    const source: RuleSource = { denies: () => new Promise(() => undefined), allows: () => undefined }
    const asked = createDeferred<void>()
    const { session, recording } = await openSession({
      responses: [calling({ name: 'touch' })],
      tools: [askingTool()],
      gate: interactiveGate({
        access: [allowing('ask')],
        rules: {
          source: {
            ...source,
            denies: (each) => {
              asked.resolve()
              return source.denies(each)
            },
          },
        },
      }),
    })
    const submission = session.submit('Go')
    await asked.promise

    expect(await session.interrupt()).toBe(true)
    expect((await submission.result()).status).toBe('interrupted')
    expect(recording.events('PermissionRequested')).toEqual([])
  })

  it('keeps of a rule only what an audit needs, within bounds', async () => {
    const source: RuleSource = {
      denies: () => undefined,
      allows: () => ({ effect: 'allow', kind, match: 'x'.repeat(5_000), path: '/home/ann/rules.json' }) as never,
    }
    const { recording } = await callUnder(interactiveGate({ access: [allowing('ask')], rules: { source } }), 'a')

    const [decided] = recording.events('PermissionDecided')
    expect(Object.keys(decided?.rule ?? {}).toSorted()).toEqual(['effect', 'kind', 'match'])
    expect(decided?.rule?.match).toHaveLength(1_024)
  })
})

describe('headlessGate', () => {
  it('reads rules and never asks', async () => {
    const book = new RuleBook()
    book.allowed.add('a')
    const gate = headlessGate({ access: [allowing('ask')], rules: { source: book } })
    const { ran, session } = await callUnder(gate, 'a', 'b')

    expect(ran).toEqual(['a'])
    expect(resultTexts(session.history())).toEqual(['touch did a', 'permission denied [not authorized]: touch b'])
    expect(gate).not.toHaveProperty('saveRules')
  })
})

describe('the options of a gate', () => {
  it.each<[string, unknown, string]>([
    ['no access', {}, 'access'],
    ['an access source that is none', { access: [{}] }, 'access[0]'],
    ['a rule source that is none', { access: [], rules: { source: {} } }, 'rules.source'],
    ['a rule writer that is none', { access: [], rules: { source: new RuleBook(), writer: {} } }, 'rules.writer'],
    ['an issuer that is none', { access: [], issuer: {} }, 'issuer'],
    ['no time', { access: [], timeoutMs: 0 }, 'timeoutMs'],
    ['half a millisecond', { access: [], timeoutMs: 0.5 }, 'timeoutMs'],
    ['more than a year', { access: [], timeoutMs: 31_536_000_001 }, 'timeoutMs'],
  ])('are refused with %s', (_name, options, field) => {
    const make = () => interactiveGate(options as Parameters<typeof interactiveGate>[0])

    expect(make).toThrow(DefinitionError)
    expect(make).toThrow(field)
  })
})

describe('a request that a model blew up', () => {
  it('gets an error result before anybody is asked, and the session lives', async () => {
    const { session, types, ran } = await callUnder(
      interactiveGate({ access: [allowing('ask')] }),
      '\u0001'.repeat(60_000),
    )

    expect(ran).toEqual([])
    expect(resultTexts(session.history())).toEqual([
      'the call was not prepared: what it asks for is longer than 256 KiB',
    ])
    expect(await types()).not.toContain('PermissionRequested')
    expect(session.fault).toBeUndefined()
  })
})
