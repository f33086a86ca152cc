import { readFileSync } from 'node:fs'
import type { AIMessage, Message, ToolResultMessage } from '@looprig/core'
import { textBlock, userMessage } from '@looprig/core'
import type { InferenceRequest, Model, ToolSpec } from '@looprig/inference'
import { describe, expect, it } from 'vitest'
import { ChatEncoder } from '../../../src/codec/openai-chat/encode-request.ts'
import type { ChatProfile } from '../../../src/codec/openai-chat/profile.ts'
import type { WireMode } from '../../../src/codec/wire-codec.ts'

const model: Model = { provider: 'test', name: 'lark-2', capabilities: { tools: true, images: true } }
const readFile: ToolSpec = {
  name: 'ReadFile',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}
const calls: AIMessage = {
  role: 'assistant',
  blocks: [
    { type: 'thinking', text: 'secret plan', seal: { format: 'anthropic', signature: 's' } },
    textBlock('Reading '),
    { type: 'tool_use', id: 'call_a', name: 'ReadFile', input: { path: 'a.txt' } },
    textBlock('both.'),
    { type: 'tool_use', id: 'call_b', name: 'ReadFile', input: {} },
  ],
  usage: { inputTokens: 1 },
}
const result = (toolUseId: string, ...blocks: ToolResultMessage['blocks']): ToolResultMessage => ({
  role: 'tool',
  toolUseId,
  isError: false,
  blocks,
})

function encode(parts: Partial<InferenceRequest> = {}, mode: WireMode = 'whole', profile: ChatProfile = {}) {
  const text = new ChatEncoder(profile).encode({ model, messages: [], ...parts }, mode)
  return JSON.parse(text)
}

const messagesOf = (...messages: Message[]): unknown => encode({ messages }).messages

describe('ChatEncoder', () => {
  it('writes the golden body of a tool loop', () => {
    const body = encode(
      {
        model: { ...model, sampling: { temperature: 0.5, maxOutputTokens: 100, stop: ['END'] } },
        system: 'Be brief.',
        messages: [
          userMessage('Compare the files.'),
          calls,
          result('call_a', textBlock('one'), textBlock(' two')),
          { ...result('call_b', textBlock('no such file')), isError: true },
          { role: 'system', blocks: [textBlock('Two files at most.')] },
          { role: 'assistant', blocks: [{ type: 'refusal', text: '' }] },
          {
            role: 'user',
            blocks: [
              textBlock('And this?'),
              { type: 'image', mediaType: 'image/png', data: 'aGk=' },
              { type: 'image', mediaType: 'image/jpeg', url: 'https://example.org/a.jpg' },
            ],
          },
        ],
        tools: [readFile],
        toolChoice: { name: 'ReadFile' },
        sampling: { temperature: 0, topP: 0.9 },
      },
      'stream',
    )

    expect(body).toEqual(golden('tool-loop'))
  })

  it('writes the smallest body for the smallest request', () => {
    expect(encode()).toEqual({ model: 'lark-2', messages: [] })
  })

  it('sends null as the content of a message that only calls tools', () => {
    const blocks = calls.blocks.filter((block) => block.type === 'tool_use')

    expect(messagesOf({ role: 'assistant', blocks })).toMatchObject([{ role: 'assistant', content: null }])
  })

  it('leaves a message out of which nothing can be said, and sends an empty text of the user', () => {
    const messages = messagesOf(
      { role: 'assistant', blocks: [] },
      { role: 'assistant', blocks: [{ type: 'thinking', text: 'hm' }] },
      { role: 'assistant', blocks: [textBlock('')] },
      userMessage(''),
    )

    expect(messages).toEqual([{ role: 'user', content: '' }])
  })

  it('moves pictures of tool results behind the whole batch', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const

    const messages = messagesOf(calls, result('call_a', textBlock('a plot'), image), result('call_b', image, image))

    const part = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
    expect(messages).toMatchObject([
      { role: 'assistant' },
      { role: 'tool', tool_call_id: 'call_a', content: 'a plot\n[1 image: see the message after the tool results]' },
      { role: 'tool', tool_call_id: 'call_b', content: '[2 images: see the message after the tool results]' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Images of the tool result call_a:' },
          part,
          { type: 'text', text: 'Images of the tool result call_b:' },
          part,
          part,
        ],
      },
    ])
  })

  it('sends no half of an emoji, in texts and in arguments', () => {
    const text = new ChatEncoder().encode(
      {
        model,
        system: 'cut \ud83d',
        messages: [
          userMessage('cut \ud83d'),
          { role: 'assistant', blocks: [{ type: 'tool_use', id: 'a', name: 'f', input: { 'k\ud83d': '\udc4b' } }] },
          result('a', textBlock('cut \ud83d')),
        ],
      },
      'whole',
    )

    expect(text).not.toMatch(/\\+ud[89a-f]/i)
    expect(text.isWellFormed()).toBe(true)
  })

  it('keeps a history sendable whose model called a tool by an impossible name', () => {
    const messages = encode({
      messages: [
        { role: 'assistant', blocks: [{ type: 'tool_use', id: 'a', name: 'rm -rf /', input: {} }] },
        { role: 'assistant', blocks: [{ type: 'tool_use', id: 'b', name: '', input: {} }] },
      ],
    }).messages as { tool_calls: { function: { name: string } }[] }[]

    expect(messages.map((message) => message.tool_calls[0]?.function.name)).toEqual(['rm_-rf__', 'unnamed'])
  })

  it('encodes a message once and sends equal text for it ever after', () => {
    const encoder = new ChatEncoder()
    let reads = 0
    const message: Message = {
      role: 'user',
      get blocks() {
        reads += 1
        return [textBlock('Hi')]
      },
    }

    const first = encoder.encode({ model, messages: [message] }, 'whole')
    const readsOfFirst = reads
    const second = encoder.encode({ model, messages: [message, userMessage('More')] }, 'whole')

    expect(reads).toBe(readsOfFirst)
    expect(second.startsWith(first.slice(0, -2))).toBe(true)
  })

  it.each([
    ['auto', undefined],
    ['none', 'none'],
    ['required', 'required'],
    [{ name: 'ReadFile' }, { type: 'function', function: { name: 'ReadFile' } }],
  ] as const)('encodes the tool choice %j', (toolChoice, expected) => {
    expect(encode({ tools: [readFile], toolChoice }).tool_choice).toEqual(expected)
  })

  it('leaves the tool choice none out of a request without tools', () => {
    expect(encode({ toolChoice: 'none' })).not.toHaveProperty('tool_choice')
  })

  it('names the token limit as the kind of model and the profile want it', () => {
    const sampling = { maxOutputTokens: 7 }
    const thinking = { ...model, capabilities: { thinking: true } }

    expect(encode({ sampling })).toMatchObject({ max_tokens: 7 })
    expect(encode({ sampling, model: thinking })).toMatchObject({ max_completion_tokens: 7 })
    expect(encode({ sampling, model: thinking }, 'whole', { maxTokensField: 'max_tokens' })).toMatchObject({
      max_tokens: 7,
    })
  })

  it('sends the effort of a model that thinks', () => {
    const body = encode({ model: { ...model, capabilities: { thinking: true }, sampling: { effort: 'low' } } })

    expect(body).toMatchObject({ reasoning_effort: 'low' })
  })

  it('asks for usage in a stream unless the profile says not to', () => {
    expect(encode({}, 'stream')).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    expect(encode({}, 'stream', { streamUsage: false })).not.toHaveProperty('stream_options')
  })

  it('takes sampling at the borders of its ranges', () => {
    expect(encode({ sampling: { temperature: 2, topP: 0 } })).toMatchObject({ temperature: 2, top_p: 0 })
  })
})

describe('ChatEncoder and what it cannot express', () => {
  const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const
  const toolUse = { type: 'tool_use', id: 'a', name: 'f', input: {} } as const

  it.each<[string, Partial<InferenceRequest>, string]>([
    ['tools for a model without them', { model: { provider: '', name: 'm' }, tools: [readFile] }, 'tools: '],
    [
      'an image for a model without eyes',
      { model: { provider: '', name: 'm' }, messages: [{ role: 'user', blocks: [image] }] },
      'messages: ',
    ],
    [
      'an image in a tool result for a model without eyes',
      { model: { provider: '', name: 'm' }, messages: [result('a', image)] },
      'messages: ',
    ],
    ['a tool name with a dot', { tools: [{ ...readFile, name: 'a.b' }] }, 'tools[0].name: '],
    ['a tool name twice', { tools: [readFile, { ...readFile }] }, 'tools[1].name: '],
    ['a required call without tools', { toolChoice: 'required' }, 'toolChoice: '],
    ['a choice of a tool that is not there', { tools: [readFile], toolChoice: { name: 'Other' } }, 'toolChoice: '],
    ['a model without a name', { model: { provider: 'x', name: '' } }, 'model.name: '],
    ['a temperature out of range', { sampling: { temperature: 2.1 } }, 'sampling.temperature: '],
    ['a temperature that is no number', { sampling: { temperature: Number.NaN } }, 'sampling.temperature: '],
    ['a top p out of range', { sampling: { topP: -0.1 } }, 'sampling.topP: '],
    ['a token limit of zero', { sampling: { maxOutputTokens: 0 } }, 'sampling.maxOutputTokens: '],
    ['an effort for a model that does not think', { sampling: { effort: 'high' } }, 'sampling.effort: '],
    ['a call of the user', { messages: [{ role: 'user', blocks: [toolUse] }] }, 'a user message: '],
    [
      'thinking of the user',
      { messages: [{ role: 'user', blocks: [{ type: 'thinking', text: '' }] }] },
      'a user message: ',
    ],
    [
      'audio of the assistant',
      { messages: [{ role: 'assistant', blocks: [{ type: 'audio', mediaType: 'audio/wav', data: 'UklGRg==' }] }] },
      'an assistant message: ',
    ],
    [
      'an image in a system message',
      { messages: [{ role: 'system', blocks: [{ type: 'audio', mediaType: 'audio/wav', data: 'UklGRg==' }] }] },
      'a system message: ',
    ],
    ['a refusal in a tool result', { messages: [result('a', { type: 'refusal', text: '' })] }, 'a tool result: '],
    [
      'a nested tool result',
      { messages: [{ role: 'user', blocks: [{ type: 'tool_result', toolUseId: 'a', content: [], isError: false }] }] },
      'a user message: ',
    ],
    [
      'an image without a picture',
      { messages: [{ role: 'user', blocks: [{ type: 'image', mediaType: 'image/png' }] }] },
      'an image: ',
    ],
    [
      'an image that is both',
      { messages: [{ role: 'user', blocks: [{ ...image, url: 'https://example.org' }] }] },
      'an image: ',
    ],
    [
      'an image of no image type',
      { messages: [{ role: 'user', blocks: [{ ...image, mediaType: 'text/html' }] }] },
      'an image: ',
    ],
  ])('refuses %s and names it', (_what, parts, start) => {
    const act = () => encode(parts)

    expect(act).toThrow(expect.objectContaining({ code: 'unsupported', retryable: false }))
    expect(act).toThrow(expect.objectContaining({ message: expect.stringMatching(start.replace(/[[\].]/g, '\\$&')) }))
  })
})

describe('ChatEncoder and its errors', () => {
  it('never repeat a value of the request', () => {
    const canary = 'canary value'
    const parts: Partial<InferenceRequest>[] = [
      { tools: [{ ...readFile, name: canary }] },
      { tools: [readFile], toolChoice: { name: canary } },
      { messages: [{ role: 'user', blocks: [{ type: 'image', mediaType: canary, data: canary }] }] },
      { messages: [{ role: 'assistant', blocks: [{ type: 'audio', mediaType: 'audio/wav', data: canary }] }] },
      { output: { name: canary, schema: {} }, model: { ...model, capabilities: { structuredOutput: true } } },
    ]

    for (const each of parts) {
      expect(() => encode(each)).toThrow(expect.objectContaining({ message: expect.not.stringContaining(canary) }))
    }
  })
})

function golden(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../fixtures/openai-chat/${name}.request.json`, import.meta.url), 'utf8'))
}
