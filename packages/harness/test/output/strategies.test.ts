import type { FinishReason } from '@looprig/core'
import type { ModelCapabilities } from '@looprig/inference'
import type { ScriptedResponse } from '@looprig/inference/testing'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { interactiveGate, type OutputSpec } from '../../src/index.ts'
import { closedSchema } from '../../src/output/closed-schema.ts'
import {
  allowing,
  answersOf,
  callEvents,
  calling,
  effectTool,
  openSession,
  resultTexts,
  type Setup,
  streamingClient,
  textEvents,
} from '../session/open-session.ts'

const schema = z.strictObject({ city: z.string(), celsius: z.number().int(), sure: z.boolean().default(true) })
const canonical = '{"celsius":21,"city":"Rome","sure":true}'
const said = '{"city": "Rome", "celsius": 21}'

type Strategy = NonNullable<OutputSpec<unknown>['strategy']>
type With = Partial<Setup> & { readonly strategy?: Strategy | undefined; readonly capabilities?: ModelCapabilities }

function withOutput(responses: readonly ScriptedResponse[], setup: With = {}) {
  const { loop, strategy, capabilities = {}, ...rest } = setup
  const model = { provider: 'scripted', name: 'm', capabilities }
  const output = { schema, ...(strategy === undefined ? {} : { strategy }) }
  return openSession({ responses, ...rest, loop: { model, output, ...loop } })
}

/** How a model is to answer by each strategy, and what it can then. */
const ways: readonly (readonly [Strategy, ModelCapabilities, ScriptedResponse])[] = [
  ['native', { structuredOutput: true, tools: true }, { text: said }],
  ['tool', { tools: true }, calling({ id: 'f1', name: 'final_output', input: JSON.parse(said) })],
  ['prompt', {}, { text: said }],
]

describe.each(ways)('an output by the strategy %s', (strategy, capabilities, answer) => {
  it('is what a model of this ability is asked for when nothing is chosen', async () => {
    const { session, requests } = await withOutput([answer], { capabilities })

    const result = await session.submit('Weather?').result()

    expect(result).toMatchObject({ status: 'done', text: canonical, output: { city: 'Rome', celsius: 21, sure: true } })
    const [request] = requests
    expect([request?.output !== undefined, request?.toolChoice !== undefined, request?.system !== undefined]).toEqual([
      strategy === 'native',
      strategy === 'tool',
      strategy === 'prompt',
    ])
  })

  it('is kept as one text of canonical JSON, and restored with its input', async () => {
    const store = memoryStore()
    const { session, rig } = await withOutput([{ thinking: 'hm', ...answer }], { capabilities, store })
    const submission = session.submit('Weather?')
    const before = await submission.result()
    await session.shutdown()

    await using restored = await rig.restoreSession(session.id)
    const after = await restored.submit('Weather?', { inputId: submission.inputId }).result()

    expect(answersOf(restored.history())[0]?.blocks).toEqual([{ type: 'text', text: canonical }])
    expect(after).toEqual(before)
  })

  it('comes after the calls of a turn that a restore went on with', async () => {
    const { session, rig, recording } = await withOutput([calling({ id: 'w1', name: 'work' }), answer], {
      capabilities: { ...capabilities, tools: true },
      strategy,
      tools: [effectTool('work', () => undefined)],
      gate: interactiveGate({ access: [allowing('ask')] }),
    })
    const submission = session.submit('Weather?')
    const { gateId } = await recording.waitFor('PermissionRequested')
    await session.shutdown()

    await using restored = await rig.restoreSession(session.id)
    const again = restored.submit('Weather?', { inputId: submission.inputId })
    await restored.answer(gateId, { action: 'approve' })

    expect(await again.result()).toMatchObject({ status: 'done', text: canonical })
    expect(resultTexts(restored.history())).toEqual(['work did x'])
  })
})

describe.each(['native', 'prompt'] as const)('an output in words, by %s', (strategy) => {
  const capabilities = { structuredOutput: true, tools: true }

  it.each<readonly [string, ScriptedResponse, RegExp]>([
    ['has a wrong type', { text: '{"city":"Rome","celsius":"warm"}' }, /does not fit its schema: .*celsius/],
    ['is no JSON', { text: 'It is warm.' }, /not one JSON text/],
    ['has words around it', { text: `Here: ${said}` }, /not one JSON text/],
    ['is no object', { text: '[1]' }, /not a JSON object/],
    ['has a name twice', { text: '{"city":"a","city":"b","celsius":1}' }, /the same name twice/],
    ['is not there', {}, /no text/],
  ])('fails the turn and leaves no trace when it %s', async (_what, response, message) => {
    const { session, recording } = await withOutput([response], { capabilities, strategy })

    const result = await session.submit('Weather?').result()

    expect(result).toMatchObject({ status: 'failed', text: '', error: { code: 'output_invalid' } })
    expect(result.error?.message).toMatch(message)
    expect(session.history().map(({ role }) => role)).toEqual(['user'])
    expect(recording.events('StepDone')).toEqual([])
  })

  it.each<readonly [FinishReason, RegExp]>([
    ['length', /cut off/],
    ['refusal', /refused/],
    ['content_filter', /content filter/],
  ])('is none of a response that ended by %s', async (reason, message) => {
    const client = streamingClient(async function* () {
      yield* textEvents(said)
      yield { type: 'finish', reason }
    })
    const { session } = await withOutput([], { capabilities, strategy, client })

    expect((await session.submit('Weather?').result()).error?.message).toMatch(message)
  })

  it('lets the calls before it run, and gives every request the same form', async () => {
    const { session, requests } = await withOutput([calling({ name: 'work' }), { text: said }], {
      capabilities,
      strategy,
      tools: [effectTool('work', () => undefined)],
      loop: { model: { provider: 'p', name: 'm', capabilities }, output: { schema, strategy }, system: 'Be brief.' },
    })

    const result = await session.submit('Weather?').result()

    expect(result).toMatchObject({ status: 'done', text: canonical })
    expect(requests[1]?.system).toBe(requests[0]?.system)
    expect(requests[1]?.output).toEqual(requests[0]?.output)
    expect(requests.map(({ toolChoice }) => toolChoice)).toEqual([undefined, undefined])
    expect(requests[0]?.system).toMatch(/^Be brief\./)
  })

  it('answers a call of the tool that it does not have, as of any other', async () => {
    const client = streamingClient(async function* (n) {
      if (n === 1) yield* callEvents('f1', 'final_output', said)
      else yield* textEvents(said)
      yield { type: 'finish', reason: n === 1 ? 'tool_use' : 'stop' }
    })
    const { session } = await withOutput([], { capabilities, strategy, client })

    expect(await session.submit('Weather?').result()).toMatchObject({ status: 'done' })
    expect(resultTexts(session.history())[0]).toMatch(/unknown tool/)
  })
})

describe('a loop that has tools', () => {
  it('has its model call the tool of the output, also where its provider could hold a text to the schema', async () => {
    const final = calling({ id: 'f1', name: 'final_output', input: JSON.parse(said) })
    const { session, requests } = await withOutput([calling({ name: 'work' }), final], {
      capabilities: { structuredOutput: true, tools: true },
      tools: [effectTool('work', () => undefined)],
    })

    expect(await session.submit('Weather?').result()).toMatchObject({ status: 'done', text: canonical })
    expect(requests.map(({ toolChoice, output }) => [toolChoice, output])).toEqual([
      ['required', undefined],
      ['required', undefined],
    ])
  })
})

describe('a prompt', () => {
  it('takes one code fence away', async () => {
    const { session } = await withOutput([{ text: `\`\`\`json\n${said}\n\`\`\`` }])

    expect(await session.submit('Weather?').result()).toMatchObject({ status: 'done', text: canonical })
  })

  it('tells the schema and what the output is for', async () => {
    const { session, requests } = await withOutput([{ text: said }], {
      loop: { output: { schema, description: 'The weather.' } },
    })

    await session.submit('Weather?').result()

    expect(requests[0]?.system).toContain('The weather.')
    expect(requests[0]?.system).toContain('"celsius"')
  })
})

describe('a model that cannot do what was chosen', () => {
  it('is not asked', async () => {
    const { session, requests } = await withOutput([{ text: said }], { strategy: 'native' })

    expect(await session.submit('Weather?').result()).toMatchObject({
      status: 'failed',
      error: { code: 'output_unsupported' },
    })
    expect(requests).toEqual([])
  })
})

describe('closedSchema', () => {
  it('closes objects wherever they are, and no part of an intersection', () => {
    const open = { type: 'object', properties: { a: { type: 'string' } } } as const
    const closed = { ...open, additionalProperties: false }

    expect(
      closedSchema({
        type: 'object',
        properties: { one: open, list: { type: 'array', items: open }, type: { type: 'object' } },
        oneOf: [open],
        allOf: [open, { anyOf: [open] }],
        $defs: { d: open },
      }),
    ).toEqual({
      type: 'object',
      additionalProperties: false,
      properties: {
        one: closed,
        list: { type: 'array', items: closed },
        type: { type: 'object', additionalProperties: false },
      },
      anyOf: [closed],
      allOf: [open, { anyOf: [open] }],
      $defs: { d: closed },
    })
  })

  it('leaves what a schema says itself', () => {
    const said = { type: 'object', additionalProperties: { type: 'object', properties: {} } } as const

    expect(closedSchema(said)).toEqual({
      type: 'object',
      additionalProperties: { type: 'object', properties: {}, additionalProperties: false },
    })
    expect(closedSchema({ const: { type: 'object' } })).toEqual({ const: { type: 'object' } })
  })
})
