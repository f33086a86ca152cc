import { type Block, type Message, textBlock, userMessage } from '@looprig/core'
import type { InferenceRequest, Model, ToolChoice } from '@looprig/inference'
import { createResponsesCodec } from '@looprig/inference/openai-responses'
import { describe, expect, it } from 'vitest'
import { ableModel, assistant, toolResult } from '../../support/encode-chat.ts'
import { encodeResponses } from './responses.ts'

const plain: Model = { provider: 'test', name: 'lark-5' }
const png = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const
const pdf = { type: 'document', mediaType: 'application/pdf', data: 'JVBERg==', name: 'plan.pdf' } as const
const schema = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
  additionalProperties: false,
}
const tools = [
  { name: 'ReadFile', description: 'Reads a file.', inputSchema: schema },
  { name: 'Now', description: '', inputSchema: {} },
]

function refused(parts: Partial<InferenceRequest>): unknown {
  try {
    encodeResponses(parts)
  } catch (error) {
    return error
  }
  throw new Error('expected a refusal')
}

describe('a Responses request', () => {
  it('stores nothing and says no more than was asked', () => {
    const codec = createResponsesCodec()
    const request = { model: plain, system: 'Be brief.', messages: [userMessage('Hi')] }

    const { path, body } = codec.encode(request, 'whole')

    expect(path).toBe('/responses')
    expect(JSON.parse(body)).toEqual({
      model: 'lark-5',
      store: false,
      instructions: 'Be brief.',
      input: [{ role: 'user', content: 'Hi' }],
    })
    expect(JSON.parse(codec.encode(request, 'stream').body)).toMatchObject({ stream: true, store: false })
  })

  it('puts every system message above the conversation', () => {
    const system = (text: string): Message => ({ role: 'system', blocks: [textBlock(text)] })

    const body = encodeResponses({
      system: 'One.',
      messages: [system('Two.'), userMessage('Hi'), system(''), system('3')],
    })

    expect(body.instructions).toBe('One.\n\nTwo.\n\n3')
    expect(body.input).toEqual([{ role: 'user', content: 'Hi' }])
  })

  it('sends tools with their schemas, never strict unless asked and able', () => {
    const strict = [
      { name: 'Able', description: '', inputSchema: schema, strict: true },
      { name: 'Unable', description: '', inputSchema: { type: 'object', properties: { a: {} } }, strict: true },
    ]

    expect(encodeResponses({ tools: [...tools, ...strict] }).tools).toEqual([
      { type: 'function', name: 'ReadFile', description: 'Reads a file.', parameters: schema, strict: false },
      { type: 'function', name: 'Now', description: '', parameters: { type: 'object', properties: {} }, strict: false },
      { type: 'function', name: 'Able', description: '', parameters: schema, strict: true },
      expect.objectContaining({ name: 'Unable', strict: false }),
    ])
  })

  it.each<[ToolChoice | undefined, unknown]>([
    [undefined, undefined],
    ['auto', undefined],
    ['none', 'none'],
    ['required', 'required'],
    [{ name: 'Now' }, { type: 'function', name: 'Now' }],
    [
      { allowed: ['Now'], required: true },
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'Now' }] },
    ],
    [
      { allowed: ['Now', 'ReadFile'] },
      {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'function', name: 'Now' },
          { type: 'function', name: 'ReadFile' },
        ],
      },
    ],
  ])('sends the tool choice %j', (toolChoice, expected) => {
    expect(encodeResponses({ tools, toolChoice }).tool_choice).toEqual(expected)
  })

  it('forbids parallel calls on request', () => {
    expect(encodeResponses({ tools, parallelToolCalls: false }).parallel_tool_calls).toBe(false)
    expect(encodeResponses({ parallelToolCalls: false })).not.toHaveProperty('parallel_tool_calls')
  })

  it('asks a thinking model for encrypted reasoning, and for a summary together with an effort', () => {
    const body = encodeResponses({ sampling: { effort: 'high' } })

    expect(body).toMatchObject({
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    })
    expect(encodeResponses({})).toMatchObject({ include: ['reasoning.encrypted_content'] })
    expect(encodeResponses({})).not.toHaveProperty('reasoning')
    expect(encodeResponses({ model: plain })).not.toHaveProperty('include')
  })

  it('asks for the summary that the client was told to ask for', () => {
    const effort = { sampling: { effort: 'low' } } as const

    expect(encodeResponses({}, { reasoningSummary: 'detailed' }).reasoning).toEqual({ summary: 'detailed' })
    expect(encodeResponses(effort, { reasoningSummary: 'none' }).reasoning).toEqual({ effort: 'low' })
  })

  it('lays the sampling of the request over that of the model, field by field', () => {
    const model = { ...plain, sampling: { temperature: 0.5, maxOutputTokens: 100 } }

    expect(encodeResponses({ model, sampling: { topP: 0.9, maxOutputTokens: 50 } })).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 50,
    })
  })

  it('asks for output of a schema, strict where the schema allows that', () => {
    const loose = { type: 'object', properties: { a: { type: 'string' } } }
    const format = (output: InferenceRequest['output']) => encodeResponses({ output }).text

    expect(format({ name: 'answer', description: 'An answer.', schema })).toEqual({
      format: { type: 'json_schema', name: 'answer', description: 'An answer.', schema, strict: true },
    })
    expect(format({ name: 'answer', schema: loose })).toMatchObject({ format: { schema: loose, strict: false } })
    expect(format({ name: 'answer', schema, strict: false })).toMatchObject({ format: { strict: false } })
  })

  it('sends pictures and files to a model that takes them', () => {
    const url = { type: 'document', mediaType: 'application/pdf', url: 'https://example.org/a.pdf' } as const
    const seen = { type: 'image', mediaType: 'image/*', url: 'https://example.org/a.png' } as const
    const blocks: Block[] = [textBlock('See'), png, seen, pdf, url, textBlock('')]

    expect(encodeResponses({ messages: [{ role: 'user', blocks }] }).input[0]?.content).toEqual([
      { type: 'input_text', text: 'See' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
      { type: 'input_image', image_url: 'https://example.org/a.png', detail: 'auto' },
      { type: 'input_file', filename: 'plan.pdf', file_data: 'data:application/pdf;base64,JVBERg==' },
      { type: 'input_file', file_url: 'https://example.org/a.pdf' },
    ])
  })

  it('sends what a tool gave as a text, or as parts where there is more', () => {
    const call = { type: 'tool_use', id: 'a', name: 'See', input: {} } as const
    const outputOf = (...blocks: Block[]) =>
      encodeResponses({ messages: [assistant(call), toolResult('a', ...blocks)] }).input[1]?.output

    expect(outputOf()).toBe('')
    expect(outputOf(textBlock('a'), textBlock('b'))).toBe('ab')
    expect(outputOf(textBlock('Here'), png, pdf)).toMatchObject([
      { type: 'input_text', text: 'Here' },
      { type: 'input_image' },
      { type: 'input_file' },
    ])
  })

  it('tells a document in words where the model reads no files', () => {
    const notes = { type: 'document', mediaType: 'text/plain', data: 'QnV5IG1pbGs=', name: 'notes.txt' } as const
    const known = { ...pdf, text: 'The plan.' }

    const { input } = encodeResponses({ model: plain, messages: [{ role: 'user', blocks: [notes, known] }] })

    expect(input[0]?.content).toEqual([
      { type: 'input_text', text: 'notes.txt:\nBuy milk' },
      { type: 'input_text', text: 'plan.pdf:\nThe plan.' },
    ])
  })

  it.each<[string, Partial<InferenceRequest>]>([
    ['model.name', { model: { ...plain, name: '' } }],
    ['tools', { model: plain, tools }],
    ['tools[1].name', { tools: [...tools.slice(1), ...tools.slice(1)] }],
    ['tools[0].name', { tools: [{ name: 'a b', description: '', inputSchema: {} }] }],
    ['toolChoice', { toolChoice: 'required' }],
    ['toolChoice', { tools, toolChoice: { name: 'Gone' } }],
    ['toolChoice', { tools, toolChoice: { allowed: ['Now', 'Gone'] } }],
    ['toolChoice', { tools, toolChoice: { allowed: [] } }],
    ['output', { model: plain, output: { name: 'a', schema } }],
    ['output.name', { output: { name: 'a b', schema } }],
    ['sampling.temperature', { sampling: { temperature: 2.1 } }],
    ['sampling.topP', { sampling: { topP: -1 } }],
    ['sampling.maxOutputTokens', { sampling: { maxOutputTokens: 0 } }],
    ['sampling.stop', { sampling: { stop: ['END'] } }],
    ['sampling.effort', { model: plain, sampling: { effort: 'low' } }],
    ['messages', { model: plain, messages: [{ role: 'user', blocks: [png] }] }],
    ['messages', { model: plain, messages: [toolResult('a', png)] }],
    ['a document', { model: plain, messages: [{ role: 'user', blocks: [pdf] }] }],
    ['an image', { messages: [{ role: 'user', blocks: [{ ...png, data: 'not base64!' }] }] }],
    ['a user message', { messages: [{ role: 'user', blocks: [{ type: 'refusal', text: '' }] }] }],
    [
      'a user message',
      { messages: [{ role: 'user', blocks: [{ type: 'audio', mediaType: 'audio/wav', data: 'AAAA' }] }] },
    ],
    ['a system message', { messages: [{ role: 'system', blocks: [png] }] }],
  ])('refuses %s that it cannot express, before anything is sent', (part, parts) => {
    expect(refused({ model: ableModel, ...parts })).toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(new RegExp(`^${part.replace(/[[\]]/g, '\\$&')}: `)),
    })
  })
})
