import { type Block, type Message, textBlock, userMessage } from '@looprig/core'
import type { InferenceRequest, Model, Sampling, ToolChoice } from '@looprig/inference'
import { createGeminiCodec } from '@looprig/inference/gemini'
import { describe, expect, it } from 'vitest'
import { assistant, toolResult } from '../../support/encode-chat.ts'
import { encodeGemini, second, third } from './gemini.ts'

const plain: Model = { provider: 'test', name: 'gemini-lark' }
const png = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const
const pdf = { type: 'document', mediaType: 'application/pdf', data: 'JVBERg==', name: 'plan.pdf' } as const
const wav = { type: 'audio', mediaType: 'audio/wav', data: 'UklGRg==' } as const
const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const tools = [
  { name: 'ReadFile', description: 'Reads a file.', inputSchema: schema },
  { name: 'Now', description: '', inputSchema: {} },
]

function refused(parts: Partial<InferenceRequest>): unknown {
  try {
    encodeGemini(parts)
  } catch (error) {
    return error
  }
  throw new Error('expected a refusal')
}

const configOf = (parts: Partial<InferenceRequest>) => encodeGemini(parts).generationConfig

describe('a Gemini request', () => {
  it('says no more than was asked, to the model in its path', () => {
    const codec = createGeminiCodec()
    const request = { model: plain, system: 'Be brief.', messages: [userMessage('Hi')] }

    const { path, body } = codec.encode(request, 'whole')

    expect(path).toBe('/models/gemini-lark:generateContent')
    expect(JSON.parse(body)).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
    })
    expect(codec.encode(request, 'stream')).toEqual({
      path: '/models/gemini-lark:streamGenerateContent?alt=sse',
      body,
    })
    expect(codec.encode({ ...request, model: { ...plain, name: 'tunedModels/mine' } }, 'whole').path).toBe(
      '/tunedModels/mine:generateContent',
    )
  })

  it('puts every system message above the conversation', () => {
    const system = (text: string): Message => ({ role: 'system', blocks: [textBlock(text)] })

    const body = encodeGemini({ system: 'One.', messages: [system('Two.'), userMessage('Hi'), system('')] })

    expect(body.systemInstruction).toEqual({ parts: [{ text: 'One.' }, { text: 'Two.' }] })
    expect(body.contents).toHaveLength(1)
  })

  it('declares tools, without parameters where there are none', () => {
    expect(encodeGemini({ tools }).tools).toEqual([
      {
        functionDeclarations: [
          {
            name: 'ReadFile',
            description: 'Reads a file.',
            parameters: { type: 'OBJECT', properties: { path: { type: 'STRING' } }, required: ['path'] },
          },
          { name: 'Now', description: '' },
        ],
      },
    ])
  })

  it.each<[ToolChoice | undefined, unknown]>([
    [undefined, undefined],
    ['auto', undefined],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [{ name: 'Now' }, { mode: 'ANY', allowedFunctionNames: ['Now'] }],
    [
      { allowed: ['Now', 'ReadFile'], required: true },
      { mode: 'ANY', allowedFunctionNames: ['Now', 'ReadFile'] },
    ],
  ])('sends the tool choice %j', (toolChoice, functionCallingConfig) => {
    expect(encodeGemini({ tools, toolChoice }).toolConfig).toEqual(
      functionCallingConfig === undefined ? undefined : { functionCallingConfig },
    )
  })

  it('offers only the tools that may be called where none must be', () => {
    const body = encodeGemini({ tools, toolChoice: { allowed: ['Now'] } })

    expect(body.tools).toEqual([{ functionDeclarations: [{ name: 'Now', description: '' }] }])
    expect(body).not.toHaveProperty('toolConfig')
  })

  it('lays the sampling of the request over that of the model, field by field', () => {
    const model = { ...plain, sampling: { temperature: 0.5, maxOutputTokens: 100 } }

    expect(configOf({ model, sampling: { topP: 0.9, maxOutputTokens: 50, stop: ['END'] } })).toEqual({
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 50,
      stopSequences: ['END'],
    })
  })

  it.each<[Model, Sampling, object]>([
    [third, { effort: 'low' }, { thinkingLevel: 'LOW', includeThoughts: true }],
    [third, {}, { includeThoughts: true }],
    [second, { effort: 'medium' }, { thinkingBudget: 8192, includeThoughts: true }],
    [second, { effort: 'high', maxOutputTokens: 1000 }, { thinkingBudget: 500, includeThoughts: true }],
  ])('tells a thinking model how much to think: %#', (model, sampling, thinkingConfig) => {
    expect(configOf({ model, sampling })).toMatchObject({ thinkingConfig })
  })

  it('asks for output of a schema', () => {
    expect(configOf({ output: { name: 'answer', schema } })).toMatchObject({
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { path: { type: 'STRING' } }, required: ['path'] },
    })
  })

  it('sends the safety settings that the client was given', () => {
    const safetySettings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }]

    expect(encodeGemini({}, { safetySettings }).safetySettings).toEqual(safetySettings)
  })

  it('sends media to a model that takes it', () => {
    const file = (url: string, mediaType = 'image/*') => ({ type: 'image', mediaType, url }) as const
    const blocks: Block[] = [
      textBlock('See'),
      png,
      { ...png, mediaType: 'image/jpg' },
      file('gs://bucket/a.png', 'image/png'),
      file('https://generativelanguage.googleapis.com/v1beta/files/abc'),
      wav,
      pdf,
      { type: 'document', mediaType: 'text/plain', text: 'Buy milk', name: 'notes.txt' },
    ]

    expect(encodeGemini({ messages: [{ role: 'user', blocks }] }).contents[0]?.parts).toEqual([
      { text: 'See' },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { inlineData: { mimeType: 'image/jpeg', data: 'AAAA' } },
      { fileData: { fileUri: 'gs://bucket/a.png', mimeType: 'image/png' } },
      { fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc' } },
      { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } },
      { inlineData: { mimeType: 'application/pdf', data: 'JVBERg==' } },
      { text: 'notes.txt:\nBuy milk' },
    ])
  })

  it('tells a document in words where the model reads no files', () => {
    const notes = { type: 'document', mediaType: 'text/plain', data: 'QnV5IG1pbGs=' } as const
    const messages = [{ role: 'user', blocks: [notes, { ...pdf, text: 'The plan.' }] } as const]

    expect(encodeGemini({ model: plain, messages }).contents[0]?.parts).toEqual([
      { text: 'Buy milk' },
      { text: 'plan.pdf:\nThe plan.' },
    ])
  })

  it.each<[string, Partial<InferenceRequest>]>([
    ['model.name', { model: { ...plain, name: '' } }],
    ['model.name', { model: { ...plain, name: 'a?key=b' } }],
    ['model.name', { model: { ...plain, name: '../admin' } }],
    ['tools', { model: plain, tools }],
    ['tools[1].name', { tools: [...tools.slice(1), ...tools.slice(1)] }],
    ['tools[0].name', { tools: [{ name: '1st', description: '', inputSchema: {} }] }],
    ['toolChoice', { toolChoice: 'required' }],
    ['toolChoice', { tools, toolChoice: { name: 'Gone' } }],
    ['toolChoice', { tools, toolChoice: { allowed: [] } }],
    ['parallelToolCalls', { tools, parallelToolCalls: false }],
    ['output', { model: plain, output: { name: 'a', schema } }],
    ['sampling.temperature', { sampling: { temperature: 2.1 } }],
    ['sampling.topP', { sampling: { topP: Number.NaN } }],
    ['sampling.maxOutputTokens', { sampling: { maxOutputTokens: 1.5 } }],
    ['sampling.stop', { sampling: { stop: ['1', '2', '3', '4', '5', '6'] } }],
    ['sampling.effort', { model: plain, sampling: { effort: 'low' } }],
    ['sampling.effort', { sampling: { effort: 'max' } }],
    ['sampling.effort', { model: { ...plain, capabilities: { thinking: true } }, sampling: { effort: 'low' } }],
    ['messages', { model: plain, messages: [{ role: 'user', blocks: [png] }] }],
    ['messages', { model: plain, messages: [{ role: 'user', blocks: [wav] }] }],
    ['messages', { model: plain, messages: [toolResult('a', png)] }],
    ['a document', { model: plain, messages: [{ role: 'user', blocks: [pdf] }] }],
    ['a document', { messages: [{ role: 'user', blocks: [{ ...pdf, mediaType: 'application/zip' }] }] }],
    ['an image', { messages: [{ role: 'user', blocks: [{ ...png, mediaType: 'image/tiff' }] }] }],
    [
      'an image',
      {
        messages: [{ role: 'user', blocks: [{ type: 'image', mediaType: 'image/png', url: 'https://example.org/a' }] }],
      },
    ],
    ['an image', { messages: [{ role: 'user', blocks: [{ ...png, data: 'not base64!' }] }] }],
    ['a user message', { messages: [{ role: 'user', blocks: [{ type: 'refusal', text: '' }] }] }],
    ['a system message', { messages: [{ role: 'system', blocks: [png] }] }],
    [
      'an assistant message',
      { messages: [assistant({ type: 'tool_result', toolUseId: 'a', content: [], isError: false })] },
    ],
  ])('refuses %s that it cannot express, before anything is sent', (part, parts) => {
    expect(refused(parts)).toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(new RegExp(`^${part.replace(/[[\]]/g, '\\$&')}: `)),
    })
  })
})
