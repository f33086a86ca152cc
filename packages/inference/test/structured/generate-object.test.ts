import { inspect } from 'node:util'
import { isLooprigError, mediaBlock, type StreamEvent, userMessage } from '@looprig/core'
import {
  createInferenceStream,
  generateObject,
  type InferenceClient,
  type InferenceRequest,
  type ModelCapabilities,
  type OutputStrategyName,
  StructuredOutputError,
} from '@looprig/inference'
import { scriptedClient } from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const schema = z.object({ city: z.string(), people: z.number().int() })
const messages = [userMessage('Where?')]
const good = { city: 'Turku', people: 200_000 }
const model = (capabilities: ModelCapabilities = {}) => ({ provider: 'test', name: 'lark-2', capabilities })
const able = model({ structuredOutput: true, tools: true })
const call = (input: object, name = 'final_output') => ({ name, rawInput: JSON.stringify(input) })

/** A client that answers each request with these events. */
function answering(...events: readonly StreamEvent[]): InferenceClient {
  const stream: InferenceClient['stream'] = (_request, options) =>
    createInferenceStream(async function* () {
      yield* events
    }, options?.signal)
  return { stream, invoke: (request, options) => stream(request, options).result() }
}

const textEvents = (
  text: string,
  reason: 'stop' | 'length' | 'content_filter' | 'refusal' | 'pause',
): StreamEvent[] => [
  { type: 'block_start', blockIndex: 0, block: { type: 'text' } },
  { type: 'text_delta', blockIndex: 0, text },
  { type: 'block_end', blockIndex: 0 },
  { type: 'finish', reason },
]

async function failureOf(promise: Promise<unknown>): Promise<StructuredOutputError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(StructuredOutputError)
  return error as StructuredOutputError // just checked
}

describe('generateObject', () => {
  it.each([
    [{ structuredOutput: true, tools: true }, 'native', { text: JSON.stringify(good) }],
    [{ tools: true }, 'tool', { toolCalls: [call(good)] }],
    [{}, 'prompt', { text: JSON.stringify(good) }],
  ] as const)('with %j asks by %s and gives the object', async (capabilities, strategy, answer) => {
    const client = scriptedClient([answer])

    const made = await generateObject(client, model(capabilities), { schema, messages })

    expect(made).toMatchObject({ object: good, strategy, response: { message: { model: 'scripted' } } })
    const [request] = client.requests
    const held = { native: request?.output?.schema, tool: request?.tools?.[0]?.inputSchema, prompt: undefined }[
      strategy
    ]
    if (strategy !== 'prompt') expect(held).toMatchObject({ type: 'object', additionalProperties: false })
    if (strategy === 'tool') expect(request?.toolChoice).toEqual({ name: 'final_output' })
    expect(request?.system?.includes('"city"') ?? false).toBe(strategy === 'prompt')
  })

  it('asks in the way that it is told to, after the instructions that it is given', async () => {
    const client = scriptedClient([{ text: `\`\`\`json\n${JSON.stringify(good)}\n\`\`\`` }])

    const { object } = await generateObject(client, able, { schema, messages, strategy: 'prompt', system: 'Be brief.' })

    expect(object).toEqual(good)
    expect(client.requests[0]?.system).toMatch(/^Be brief\.\n\nAnswer with one JSON object/)
    expect(client.requests[0]?.output).toBeUndefined()
  })

  it('leaves thinking out of account', async () => {
    const client = scriptedClient([{ thinking: '{"city":"Oslo"}', text: JSON.stringify(good) }])

    expect((await generateObject(client, able, { schema, messages })).object).toEqual(good)
  })

  it('gives what the schema parses to', async () => {
    const parsing = z.object({ at: z.string().transform((text) => text.length), unit: z.string().default('m') })
    const client = scriptedClient([{ text: '{"at":"four","more":1}' }])

    const { object } = await generateObject(client, able, { schema: parsing, messages })

    expect(object).toEqual({ at: 4, unit: 'm' })
  })

  it.each([
    ['a list', z.array(z.number()), [1, 2]],
    [
      'a union',
      z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]),
      { kind: 'b' },
    ],
    ['a number', z.number(), 7],
  ] as const)('asks for %s as the member of an object and gives it alone', async (_what, inner, value) => {
    const client = scriptedClient([{ text: JSON.stringify({ value }) }])

    const { object } = await generateObject<unknown>(client, able, { schema: inner, messages })

    expect(object).toEqual(value)
    const shown = client.requests[0]?.output?.schema
    expect(shown).toMatchObject({ type: 'object', required: ['value'], additionalProperties: false })
    expect(JSON.stringify(shown)).not.toContain('oneOf')
  })

  it('keeps what is optional optional, and leaves an intersection open', async () => {
    const shape = z.object({
      a: z.string().optional(),
      b: z.intersection(z.object({ c: z.string() }), z.object({ d: z.string() })),
    })
    const client = scriptedClient([{ text: '{"b":{"c":"1","d":"2"}}' }])

    await generateObject(client, able, { schema: shape, messages })

    const { required, properties } = client.requests[0]?.output?.schema ?? {}
    expect(required).toEqual(['b'])
    expect(JSON.stringify(properties)).not.toContain('additionalProperties')
  })

  const text = (answer: string) => scriptedClient([{ text: answer }])
  it.each([
    ['prose around it', 'native', text(`Sure: ${JSON.stringify(good)}`), 'invalid_json'],
    ['half of it', 'native', text('{"city":"Tu'), 'invalid_json'],
    ['a fence in native', 'native', text(`\`\`\`\n${JSON.stringify(good)}\n\`\`\``), 'invalid_json'],
    ['two fences', 'prompt', text('```json\n{}\n```\n```json\n{}\n```'), 'invalid_json'],
    ['two objects', 'native', text(`${JSON.stringify(good)}${JSON.stringify(good)}`), 'invalid_json'],
    ['nesting without end', 'native', text('['.repeat(5000) + ']'.repeat(5000)), 'invalid_json'],
    ['a name twice', 'native', text('{"city":"a","people":1,"c\\u0069ty":"b"}'), 'ambiguous'],
    [
      'a name twice, deep down',
      'tool',
      scriptedClient([{ toolCalls: [{ name: 'final_output', rawInput: '{"city":"{\\"","x":[{"a":1,"a":2}]}' }] }]),
      'ambiguous',
    ],
    ['another shape', 'native', text('{"city":7}'), 'schema_mismatch'],
    ['another shape in a call', 'tool', scriptedClient([{ toolCalls: [call({ city: 'x' })] }]), 'schema_mismatch'],
    [
      'no arguments',
      'tool',
      scriptedClient([{ toolCalls: [{ name: 'final_output', rawInput: '' }] }]),
      'schema_mismatch',
    ],
    [
      'broken arguments',
      'tool',
      scriptedClient([{ toolCalls: [{ name: 'final_output', rawInput: '{"city":' }] }]),
      'invalid_json',
    ],
    ['nothing', 'native', text(''), 'no_output'],
    ['no call', 'tool', text(JSON.stringify(good)), 'no_output'],
    ['a call of another tool', 'tool', scriptedClient([{ toolCalls: [call(good, 'other')] }]), 'no_output'],
    ['text and a call', 'tool', scriptedClient([{ text: 'Here.', toolCalls: [call(good)] }]), 'ambiguous'],
    ['two calls', 'tool', scriptedClient([{ toolCalls: [call(good), call(good)] }]), 'ambiguous'],
    [
      'a call where none was asked for',
      'native',
      scriptedClient([{ text: JSON.stringify(good), toolCalls: [call(good)] }]),
      'ambiguous',
    ],
    [
      'a picture beside it',
      'native',
      answering(
        { type: 'block_start', blockIndex: 1, block: mediaBlock('image', { mediaType: 'image/png', data: 'AAAA' }) },
        { type: 'block_end', blockIndex: 1 },
        ...textEvents('{}', 'stop'),
      ),
      'ambiguous',
    ],
    ['too much', 'native', text(JSON.stringify({ city: 'x'.repeat(1024 * 1024) })), 'too_large'],
    ['the limit', 'native', answering(...textEvents(JSON.stringify(good), 'length')), 'length'],
    ['a filter', 'native', answering(...textEvents(JSON.stringify(good), 'content_filter')), 'refused'],
    ['a refusal by reason', 'native', answering(...textEvents(JSON.stringify(good), 'refusal')), 'refused'],
    ['a pause', 'native', answering(...textEvents(JSON.stringify(good), 'pause')), 'no_output'],
    [
      'a refusal block',
      'tool',
      answering(
        { type: 'block_start', blockIndex: 0, block: { type: 'refusal' } },
        { type: 'block_end', blockIndex: 0 },
        { type: 'finish', reason: 'stop' },
      ),
      'refused',
    ],
  ] as const satisfies readonly (readonly [string, OutputStrategyName, InferenceClient, string])[])(
    'of a response with %s by %s fails as such',
    async (_what, strategy, client, code) => {
      const error = await failureOf(generateObject(client, able, { schema, messages, strategy }))

      expect(error).toMatchObject({ code, strategy })
      expect(error.response?.finishReason).toBeDefined()
    },
  )

  it('names the fields at fault and never what the model said', async () => {
    const client = text('{"city":{"SENTINEL":1},"people":"SENTINEL"}')

    const error = await failureOf(generateObject(client, able, { schema, messages }))

    expect(error.message).toBe('the answer does not fit its schema: city: invalid_type; people: invalid_type')
    expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toContain('SENTINEL')
    expect(isLooprigError(error)).toBe(true)
  })

  it.each([
    ['native', model({ tools: true })],
    ['tool', model({ structuredOutput: true })],
  ] as const)('refuses %s for a model without it before anything is sent', async (strategy, unable) => {
    const client = scriptedClient([])

    const error = await failureOf(generateObject(client, unable, { schema, messages, strategy }))

    expect(error.code).toBe('unsupported')
    expect(client.requests).toEqual([])
  })

  it.each([z.date(), z.object({ at: z.bigint() }), z.map(z.string(), z.string())])(
    'refuses a schema that cannot be shown',
    async (odd) => {
      const client = scriptedClient([])

      const error = await failureOf(generateObject<unknown>(client, able, { schema: odd, messages }))

      expect(error.code).toBe('invalid_schema')
      expect(client.requests).toEqual([])
    },
  )

  it('passes on what the client throws, and the signal to it', async () => {
    const failing = scriptedClient([{ error: { code: 'overloaded' } }])
    const asked: InferenceRequest[] = failing.requests as InferenceRequest[]

    await expect(generateObject(failing, able, { schema, messages })).rejects.toMatchObject({ code: 'overloaded' })
    await expect(
      generateObject(failing, able, { schema, messages, signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: 'aborted' })
    expect(asked).toHaveLength(1)
  })
})
