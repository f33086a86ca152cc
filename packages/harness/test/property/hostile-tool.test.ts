/** A tool that returns anything at all: its call has a result, its siblings run, and the journal can be read again. */
import { type Tool, type ToolDefinition, ToolError } from '@looprig/tools'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { interactiveGate } from '../../src/index.ts'
import { fakeClock } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'
import { allowing, calling, effectTool, kind, openSession, requirement, resultTexts } from '../session/open-session.ts'
import { expectLawful } from './journal-laws.ts'
import { settle } from './settle.ts'

const circle: Record<string, unknown> = {}
circle.self = circle

/** What nobody should return. */
const garbage = fc.constantFrom<unknown>(
  ...[undefined, null, 0, -1, Number.NaN, Number.POSITIVE_INFINITY, 5n, '', 'text', '\ud83d', true, [], {}, circle],
  ...[
    Symbol('s'),
    () => 1,
    new Date(0),
    new Map(),
    new (class Odd {})(),
    Object.create(null),
    JSON.parse('{"then":1}'),
    [[[]]],
  ],
  ...[{ toJSON: () => 'x' }, JSON.parse('{"__proto__":{"a":1}}'), new Uint8Array(3), new Error('secret')],
)
const text = fc.constantFrom('a', '', 'x'.repeat(2_000), '\u0000\u0007', '\ud83d')
const block = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('text'), text }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom('image', 'audio', 'document'), mediaType: text, data: text }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('tool_use'), id: text, name: text, input: fc.constant({}) }) },
  { weight: 1, arbitrary: garbage },
)
const nested = fc.oneof(
  block,
  fc.record({
    type: fc.constant('tool_result'),
    toolUseId: text,
    isError: fc.boolean(),
    content: fc.array(block, { maxLength: 3 }),
  }),
)
const result = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ content: fc.array(nested, { maxLength: 4 }), isError: fc.boolean(), code: text }),
  },
  { weight: 1, arbitrary: fc.record({ content: garbage, isError: garbage, code: garbage }) },
  { weight: 1, arbitrary: garbage },
)

const word = fc.oneof({ weight: 4, arbitrary: fc.constantFrom('a', 'ask', 'b') }, { weight: 1, arbitrary: garbage })
const wanted = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(requirement('a'), requirement('ask')) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.oneof(fc.constant(kind), word),
      scope: word,
      match: word,
      description: word,
      candidates: garbage,
    }),
  },
  { weight: 1, arbitrary: garbage },
)
const request = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      toolName: fc.constantFrom('foreign', 'foreign', 'other'),
      summary: word,
      requirements: fc.array(wanted, { maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{
        toolName: fc.constant('foreign'),
        summary: fc.constant('act'),
        requirements: fc.constant([requirement('ask')]),
      },
      ...{ command: garbage, workingDirectory: garbage, expiresAtMs: garbage },
    }),
  },
  { weight: 1, arbitrary: garbage },
)
const prepared = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        request,
        artifact: fc.oneof(fc.constant({ n: 1 }), garbage),
        question: fc.oneof(fc.constant({ text: 'Which?', choices: ['yes'] }), garbage),
        preview: fc.oneof(fc.constant({ kind: 'text', text: 'p' }), garbage),
      },
      { requiredKeys: ['request', 'artifact'] },
    ),
  },
  { weight: 1, arbitrary: garbage },
)

const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error('secret')
    },
    getPrototypeOf: () => {
      throw new Error('secret')
    },
  },
)

/** What a function of a tool does: it gives this, at once or later, or fails with it. */
type Act = readonly ['gives' | 'gives later' | 'throws' | 'rejects' | 'never', unknown]

const acting = (value: fc.Arbitrary<unknown>): fc.Arbitrary<Act> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.constantFrom('gives' as const, 'gives later' as const), value) },
    {
      weight: 1,
      arbitrary: fc.tuple(
        fc.constantFrom('throws' as const, 'rejects' as const, 'never' as const),
        fc.oneof(garbage, fc.constantFrom(new ToolError('odd', 'shown'), new ToolError('', ''), 'hostile')),
      ),
    },
  )

function act([how, said]: Act): unknown {
  // made here, since whoever draws it would look at it
  const value = said === 'hostile' ? hostile : said
  if (how === 'throws') throw value
  if (how === 'rejects') return Promise.reject(value)
  if (how === 'never') return new Promise(() => undefined)
  return how === 'gives' ? value : Promise.resolve(value)
}

/** A tool of a third party, with nothing checked. */
function foreignTool(parts: {
  readonly prepare: Act
  readonly invoke: Act
  readonly target: Act
  readonly summary: Act
  readonly flags: Record<string, unknown>
}): ToolDefinition {
  const schemaDigest = '0'.repeat(64)
  const tool = {
    info: { name: 'foreign', description: 'Foreign.', inputSchema: { type: 'object' }, schemaDigest },
    ...{ replaySafe: false, sequential: false, ...parts.flags },
    prepareCall: () => act(parts.prepare),
    invoke: () => act(parts.invoke),
    writeTarget: () => act(parts.target),
    auditSummary: () => act(parts.summary),
  }
  const build = async () => [tool as unknown as Tool] // proved by nothing: that is what is tried here
  return { name: 'foreign', requires: [], produces: [{ name: 'foreign', schemaDigest }], build }
}

const flags = fc.record(
  { replaySafe: garbage, sequential: garbage, timeoutMs: fc.oneof(garbage, fc.constant(100)) },
  { requiredKeys: [] },
)
const parts = fc.record({
  ...{ prepare: acting(prepared), invoke: acting(result), flags },
  target: acting(fc.oneof(fc.constantFrom(undefined, 'book'), garbage)),
  summary: acting(fc.oneof(fc.constant('act'), garbage)),
})

describe('a tool that returns anything at all', () => {
  it('has one result per call, lets its siblings run, and leaves a journal that can be read', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(parts, async (foreign) => {
        const ran: string[] = []
        const clock = fakeClock()
        const { session, rig, store } = await openSession({
          clock,
          responses: [
            calling({ id: 'f', name: 'foreign' }, { id: 's', name: 'sibling' }),
            { text: 'ok' },
            { text: 'again' },
          ],
          tools: [foreignTool(foreign), effectTool('sibling', (value) => void ran.push(value))],
          gate: interactiveGate({ access: [allowing(({ match }) => (match === 'ask' ? 'ask' : 'allow'))] }),
        })
        const submission = session.submit('go')
        await settle(clock, submission.result(), (turns) => {
          if (turns > 40) session.interrupt().catch(() => undefined)
          for (const gate of session.gates()) {
            const answer = gate.kind === 'question' ? { answer: 'yes' } : ({ action: 'approve' } as const)
            session.answer(gate.gateId, answer).catch(() => undefined)
          }
        })

        expect(session.fault).toBeUndefined()
        expect((await submission.result()).error?.code).not.toBe('invalid_request')
        const texts = resultTexts(session.history())
        expect([0, 2]).toContain(texts.length)
        expect(texts.join()).not.toContain('secret')
        expect((await settle(clock, session.submit('again').result())).status).toBe('done')
        await settle(clock, session.shutdown())
        expectLawful(await readRecords(store, session.id), new Map())
        const restored = await rig.restoreSession(session.id)
        expect(restored.history()).toEqual(session.history())
        await restored.shutdown()
      }),
      { numRuns: 200 },
    )
  })

  it('floods a result with parts, and the journal can be read', async () => {
    const many = Array.from({ length: 9_000 }, () => ({ type: 'text', text: 'x' }))
    const results = [1, 2, 3].map((n) => ({ type: 'tool_result', toolUseId: String(n), isError: false, content: many }))
    const { session, rig } = await openSession({
      responses: [calling({ name: 'foreign' }), { text: 'ok' }],
      tools: [
        foreignTool({
          prepare: ['gives', { request: { toolName: 'foreign', summary: 'act', requirements: [] }, artifact: {} }],
          invoke: ['gives', { content: results, isError: false }],
          ...{ target: ['gives', undefined], summary: ['gives', 'act'], flags: {} },
        }),
      ],
    })
    await session.submit('go').result()
    await session.shutdown()

    const restored = await rig.restoreSession(session.id)

    expect(restored.history()).toEqual(session.history())
    await restored.shutdown()
  })
})
