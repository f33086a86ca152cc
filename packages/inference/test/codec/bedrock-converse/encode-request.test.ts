import { type Message, userMessage } from '@looprig/core'
import type { InferenceRequest, ToolSpec } from '@looprig/inference'
import { describe, expect, it } from 'vitest'
import { createBedrockCodec } from '../../../src/codec/bedrock-converse/codec.ts'
import { call, result, said, textBlock } from '../anthropic-messages/encoded.ts'
import { encode, model, modelWith } from './encoded.ts'

const tools: ToolSpec[] = ['read', 'write'].map((name) => ({
  name,
  description: name === 'read' ? 'Reads.' : '',
  inputSchema: { type: 'object', properties: {} },
}))
const hi = userMessage('Hi')
const usedTools: Message[] = [hi, said(call('a')), result('a', 'x'), said(textBlock('Done')), hi]
const budget = modelWith({ thinking: true, thinkingDialect: 'budget' })
const adaptive = modelWith({ thinking: true, thinkingDialect: 'adaptive' })
const nova = modelWith(
  { thinking: true, thinkingDialect: 'adaptive', promptCaching: true },
  'us.amazon.nova-2-lite-v1:0',
)

describe('ConverseEncoder', () => {
  it.each([
    ['eu.anthropic.wren-4-v1:0', 'eu.anthropic.wren-4-v1%3A0'],
    [
      'arn:aws:bedrock:eu-central-1:123:inference-profile/a b',
      'arn%3Aaws%3Abedrock%3Aeu-central-1%3A123%3Ainference-profile%2Fa%20b',
    ],
  ])('puts the model %s into the path', (name, segment) => {
    const codec = createBedrockCodec()
    const request = { model: { ...model, name }, messages: [hi] }

    expect(codec.encode(request, 'whole').path).toBe(`/model/${segment}/converse`)
    expect(codec.encode(request, 'stream').path).toBe(`/model/${segment}/converse-stream`)
    expect(codec.encode(request, 'stream').body).toBe(codec.encode(request, 'whole').body)
    expect(encode({ model: request.model })).not.toHaveProperty('modelId')
  })

  it('sends instructions, tools and sampling in their places', () => {
    const body = encode({
      system: 'Be brief.',
      tools,
      toolChoice: { name: 'read' },
      sampling: { temperature: 0, topP: 1, maxOutputTokens: 9, stop: ['END'] },
    })

    expect(body).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
      system: [{ text: 'Be brief.' }],
      toolConfig: {
        tools: [
          {
            toolSpec: {
              name: 'read',
              description: 'Reads.',
              inputSchema: { json: { type: 'object', properties: {} } },
            },
          },
          { toolSpec: { name: 'write', inputSchema: { json: { type: 'object', properties: {} } } } },
        ],
        toolChoice: { tool: { name: 'read' } },
      },
      inferenceConfig: { maxTokens: 9, temperature: 0, topP: 1, stopSequences: ['END'] },
    })
  })

  it.each<[string, Partial<InferenceRequest>, unknown]>([
    ['auto', {}, undefined],
    ['required', { toolChoice: 'required' }, { any: {} }],
    ['allowed and required', { toolChoice: { allowed: ['read'], required: true } }, { any: {} }],
  ])('encodes tool choice %s', (_what, parts, choice) => {
    expect((encode({ tools, ...parts }).toolConfig as { toolChoice?: unknown }).toolChoice).toEqual(choice)
  })

  it.each<[string, Partial<InferenceRequest>]>([
    ['the request has none', {}],
    ['none may be called', { tools, toolChoice: 'none' }],
  ])('keeps a history of calls valid where %s', (_what, parts) => {
    const withCalls = encode({ messages: usedTools, ...parts })
    const without = encode(parts)

    expect(withCalls.toolConfig).toMatchObject({ tools: [{ toolSpec: { name: 'no_tools' } }] })
    expect(without).not.toHaveProperty('toolConfig')
  })

  it('turns effort into what the family of the model wants', () => {
    const sampling = { effort: 'high', maxOutputTokens: 10_000, temperature: 0.5 } as const

    expect(encode({ model: budget, sampling })).toMatchObject({
      inferenceConfig: { maxTokens: 10_000 },
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 7500 } },
    })
    expect(encode({ model: adaptive, sampling })).toMatchObject({
      additionalModelRequestFields: { thinking: { type: 'adaptive' } },
      outputConfig: { effort: 'high' },
    })
    expect(encode({ model: nova, sampling })).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Hi' }, { cachePoint: { type: 'default' } }] }],
      additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } },
    })
  })

  it('asks for no thinking where a call is forced', () => {
    const body = encode({ model: budget, tools, toolChoice: 'required', sampling: { effort: 'low' } })

    expect(body).not.toHaveProperty('additionalModelRequestFields')
  })

  it('asks for text of a form', () => {
    const schema = { type: 'object', properties: {} }

    const body = encode({
      model: modelWith({ structuredOutput: true }),
      output: { name: 'o', description: 'd', schema },
    })

    expect(body.outputConfig).toEqual({
      textFormat: {
        type: 'json_schema',
        structure: { jsonSchema: { schema: JSON.stringify(schema), name: 'o', description: 'd' } },
      },
    })
  })

  it.each<[string, Partial<InferenceRequest>, RegExp]>([
    ['one call at a time', { tools, parallelToolCalls: false }, /^parallelToolCalls/],
    [
      'a tool name that is too long',
      { tools: [{ name: 'x'.repeat(65), description: '', inputSchema: {} }] },
      /^tools\[0\]\.name/,
    ],
    ['an effort that the family has no word for', { model: nova, sampling: { effort: 'max' } }, /^sampling\.effort/],
    ['tools for a model without them', { model: modelWith({ tools: false }), tools }, /^tools/],
    ['a form for a model without it', { output: { name: 'o', schema: {} } }, /^output/],
    ['a model without a name', { model: { ...model, name: '' } }, /^model\.name/],
    ['a model of dots', { model: { ...model, name: '..' } }, /^model\.name/],
  ])('refuses %s, naming the field', (_what, parts, message) => {
    expect(() => encode(parts)).toThrow(expect.objectContaining({ code: 'unsupported' }))
    expect(() => encode(parts)).toThrow(message)
  })

  it('marks what may be cached: tools, instructions, the last message and the one of the user before it', () => {
    const point = { cachePoint: { type: 'default', ttl: '1h' } }
    const caching = modelWith({ promptCaching: true })

    const body = encode(
      { model: caching, system: 'Be brief.', tools, messages: usedTools },
      createBedrockCodec({ cacheLifetime: '1h' }),
    )

    expect((body.toolConfig as { tools: unknown[] }).tools.at(-1)).toEqual(point)
    expect(body.system).toEqual([{ text: 'Be brief.' }, point])
    expect(body.messages.map(({ content }) => content.filter((part) => 'cachePoint' in part).length)).toEqual([
      0, 0, 1, 0, 1,
    ])
    expect(JSON.stringify(encode({ model, messages: usedTools }))).not.toContain('cachePoint')
  })

  it('encodes each message once, also one whose document must be named anew', () => {
    const codec = createBedrockCodec()
    let reads = 0
    const document = { type: 'document', mediaType: 'text/plain', data: 'QQ==', name: 'a.txt' } as const
    const messages = [1, 2].map(
      (): Message => ({
        role: 'user',
        get blocks() {
          reads += 1
          return [document]
        },
      }),
    )

    const first = codec.encode({ model, messages }, 'whole').body
    const readsOfFirst = reads
    const second = codec.encode({ model, messages }, 'whole').body

    expect(first.match(/"name":"a( 2)?"/g)).toEqual(['"name":"a"', '"name":"a 2"'])
    expect(second).toBe(first)
    expect(reads).toBe(readsOfFirst)
    expect(codec.encode({ model, messages: messages.slice(1) }, 'whole').body).toContain('"name":"a')
  })
})
