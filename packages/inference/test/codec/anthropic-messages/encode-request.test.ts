import { type Message, userMessage } from '@looprig/core'
import type { InferenceRequest, ToolSpec } from '@looprig/inference'
import { describe, expect, it } from 'vitest'
import { createAnthropicCodec } from '../../../src/codec/anthropic-messages/codec.ts'
import { call, encode, model, modelWith, png, result, said, sealed, textBlock } from './encoded.ts'

const tool = (name: string, parts: Partial<ToolSpec> = {}): ToolSpec => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: {} },
  ...parts,
})
const tools = [tool('read'), tool('write', { description: '', strict: true })]
const budget = modelWith({ thinking: true, thinkingDialect: 'budget' })
const adaptive = modelWith({ thinking: true, thinkingDialect: 'adaptive' })
const hi = userMessage('Hi')

describe('MessagesEncoder', () => {
  it('goes to /messages and asks for a stream only when one is wanted', () => {
    const codec = createAnthropicCodec()
    const request = { model, messages: [hi] }

    const streamed = codec.encode(request, 'stream')

    expect(streamed.path).toBe('/messages')
    expect(JSON.parse(streamed.body)).toMatchObject({ stream: true })
    expect(JSON.parse(codec.encode(request, 'whole').body)).not.toHaveProperty('stream')
  })

  it('always names a limit: what was asked for, else that of the model, else 4096', () => {
    const limited = { ...model, limits: { maxOutputTokens: 64_000 } }

    expect(encode().max_tokens).toBe(4096)
    expect(encode({ model: limited }).max_tokens).toBe(64_000)
    expect(encode({ model: limited, sampling: { maxOutputTokens: 500 } }).max_tokens).toBe(500)
  })

  it('sends sampling, the request over the model, field by field', () => {
    const own = { ...model, sampling: { temperature: 1, topP: 0.5, stop: ['END'] } }

    expect(encode({ model: own, sampling: { temperature: 0 } })).toMatchObject({
      temperature: 0,
      top_p: 0.5,
      stop_sequences: ['END'],
    })
  })

  it.each<[string, Partial<InferenceRequest>, RegExp]>([
    ['a temperature over 1', { sampling: { temperature: 1.1 } }, /^sampling\.temperature/],
    ['a share over 1', { sampling: { topP: 2 } }, /^sampling\.topP/],
    ['no room for output', { sampling: { maxOutputTokens: 0 } }, /^sampling\.maxOutputTokens/],
    ['an effort for a model that does not think', { sampling: { effort: 'low' } }, /^sampling\.effort/],
    [
      'an effort for a model that nobody knows how to tell',
      { model: modelWith({ thinking: true }), sampling: { effort: 'low' } },
      /thinkingDialect/,
    ],
    ['a minimal effort in words', { model: adaptive, sampling: { effort: 'minimal' } }, /^sampling\.effort/],
    [
      'a budget without room',
      { model: budget, sampling: { effort: 'low', maxOutputTokens: 1024 } },
      /^sampling\.maxOutputTokens/,
    ],
    ['tools for a model without them', { model: modelWith({ tools: false }), tools }, /^tools/],
    ['a tool name that is not legal', { tools: [tool('a.b')] }, /^tools\[0\]\.name/],
    ['a tool name twice', { tools: [tool('a'), tool('a')] }, /^tools\[1\]\.name/],
    ['a choice without tools', { toolChoice: 'required' }, /^toolChoice/],
    ['a choice of a tool that is not there', { tools, toolChoice: { name: 'dig' } }, /^toolChoice/],
    ['an allowed tool that is not there', { tools, toolChoice: { allowed: ['dig'] } }, /^toolChoice/],
    ['a form for a model without it', { output: { name: 'o', schema: { type: 'object' } } }, /^output/],
    ['a model without a name', { model: { ...model, name: '' } }, /^model\.name/],
  ])('refuses %s, naming the field', (_what, parts, message) => {
    expect(() => encode(parts)).toThrow(expect.objectContaining({ code: 'unsupported' }))
    expect(() => encode(parts)).toThrow(message)
  })

  it('takes the bounds of every range', () => {
    expect(() => encode({ sampling: { temperature: 0, topP: 1, maxOutputTokens: 1 } })).not.toThrow()
  })

  it.each([
    ['minimal', 1024],
    ['low', 2500],
    ['medium', 5000],
    ['high', 7500],
    ['xhigh', 8500],
    ['max', 9000],
  ] as const)('turns effort %s into a budget of %i of 10000 tokens, without other sampling', (effort, tokens) => {
    const body = encode({ model: budget, sampling: { effort, maxOutputTokens: 10_000, temperature: 0, topP: 0.3 } })

    expect(body.thinking).toEqual({ type: 'enabled', budget_tokens: tokens })
    expect(body).not.toHaveProperty('temperature')
    expect(body).not.toHaveProperty('top_p')
  })

  it('tells other models their effort in a word', () => {
    const body = encode({ model: adaptive, sampling: { effort: 'xhigh' } })

    expect(body.thinking).toEqual({ type: 'adaptive' })
    expect(body.output_config).toEqual({ effort: 'xhigh' })
  })

  it('asks for no thinking where a call is forced', () => {
    const forced = { tools, toolChoice: 'required', sampling: { effort: 'low', temperature: 0.5 } } as const

    expect(encode({ model: budget, ...forced })).toMatchObject({ temperature: 0.5, tool_choice: { type: 'any' } })
    expect(encode({ model: budget, ...forced })).not.toHaveProperty('thinking')
    expect(encode({ model: adaptive, ...forced })).not.toHaveProperty('thinking')
  })

  it('asks a model with a budget for no thinking in a step that began without any', () => {
    const plain: Message[] = [hi, said(call('a')), result('a', 'x')]
    const thought: Message[] = [hi, said(sealed('Hm', 'S'), call('a')), result('a', 'x')]
    const asked = (messages: Message[], of = budget) =>
      encode({ model: of, messages, tools, sampling: { effort: 'low' } })

    expect(asked(plain)).not.toHaveProperty('thinking')
    expect(asked(thought)).toHaveProperty('thinking')
    expect(asked([...plain, said(textBlock('Done')), hi])).toHaveProperty('thinking')
    expect(asked(plain, adaptive)).toHaveProperty('thinking')
  })

  it('keeps the thinking of an unfinished answer where it may think', () => {
    const messages = [hi, said(sealed('Hm', 'S'), textBlock('So '))]

    const body = encode({ model: budget, messages, sampling: { effort: 'low' } })

    expect(body.messages.at(-1)?.content).toEqual([
      { type: 'thinking', thinking: 'Hm', signature: 'S' },
      textBlock('So'),
    ])
  })

  it('sends tools with their schemas', () => {
    expect(encode({ tools }).tools).toEqual([
      { name: 'read', description: 'Does read.', input_schema: { type: 'object', properties: {} } },
      { name: 'write', input_schema: { type: 'object', properties: {} }, strict: true },
    ])
  })

  it.each<[string, Partial<InferenceRequest>, unknown, readonly string[]]>([
    ['auto', { toolChoice: 'auto' }, undefined, ['read', 'write']],
    ['none', { toolChoice: 'none' }, { type: 'none' }, ['read', 'write']],
    ['required', { toolChoice: 'required' }, { type: 'any' }, ['read', 'write']],
    ['one', { toolChoice: { name: 'read' } }, { type: 'tool', name: 'read' }, ['read', 'write']],
    ['allowed', { toolChoice: { allowed: ['read'] } }, undefined, ['read']],
    ['allowed and required', { toolChoice: { allowed: ['read'], required: true } }, { type: 'any' }, ['read']],
    [
      'one at a time',
      { parallelToolCalls: false },
      { type: 'auto', disable_parallel_tool_use: true },
      ['read', 'write'],
    ],
    [
      'one at a time, required',
      { parallelToolCalls: false, toolChoice: 'required' },
      { type: 'any', disable_parallel_tool_use: true },
      ['read', 'write'],
    ],
  ])('encodes tool choice %s', (_what, parts, choice, names) => {
    const body = encode({ tools, ...parts })

    expect(body.tool_choice).toEqual(choice)
    expect((body.tools as ToolSpec[]).map(({ name }) => name)).toEqual(names)
  })

  it('sends no tools where none is allowed', () => {
    expect(encode({ tools, toolChoice: { allowed: [] } })).not.toHaveProperty('tools')
  })

  it('asks for text of a form', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }

    const body = encode({ model: modelWith({ structuredOutput: true }), output: { name: 'o', schema } })

    expect(body.output_config).toEqual({ format: { type: 'json_schema', schema } })
  })

  it('encodes each message and each list of tools once', () => {
    const codec = createAnthropicCodec()
    let reads = 0
    const message: Message = {
      role: 'user',
      get blocks() {
        reads += 1
        return [textBlock('Hi')]
      },
    }

    const first = codec.encode({ model, messages: [message], tools }, 'whole').body
    const readsOfFirst = reads
    const second = codec.encode({ model, messages: [message], tools }, 'whole').body

    expect(second).toBe(first)
    expect(reads).toBe(readsOfFirst)
  })
})

describe('cache markers of Anthropic Messages', () => {
  const caching = modelWith({ promptCaching: true })
  const marked = { type: 'ephemeral' }
  const history: Message[] = [hi, said(call('a')), result('a', 'one'), said(call('b')), result('b', png)]

  it('stand on tools, instructions, the last message and the one of the user before it', () => {
    const body = encode({ model: caching, system: 'Be brief.', tools, messages: history })

    expect(body.tools).toMatchObject([{ name: 'read' }, { name: 'write', cache_control: marked }])
    expect(body.system).toEqual([{ type: 'text', text: 'Be brief.', cache_control: marked }])
    expect(body.messages.map(({ content }) => content.at(-1)?.cache_control)).toEqual([
      undefined,
      undefined,
      marked,
      undefined,
      marked,
    ])
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4)
  })

  it('leave everything else as it was, so that the prefix of the next request is the same', () => {
    const plain = encode({ messages: history })

    const first = encode({ model: caching, messages: history })
    const next = encode({ model: caching, messages: [...history, said(textBlock('Done')), hi] })

    const unmarked = (body: typeof first) =>
      JSON.parse(JSON.stringify(body.messages), (key, value) => (key === 'cache_control' ? undefined : value))
    expect(unmarked(first)).toEqual(plain.messages)
    expect(unmarked(next).slice(0, 5)).toEqual(plain.messages)
  })

  it('never stand after what the next request will not send again', () => {
    const messages = [...history, userMessage('The time is 12:00.')]

    const { content } = encode({ model: caching, messages, transientMessages: 1 }).messages.at(-1) ?? { content: [] }

    expect(content.map((part) => part.cache_control)).toEqual([marked, undefined])
  })

  it('are left out where instructions of one request alone come first', () => {
    const system: Message = { role: 'system', blocks: [textBlock('The time is 12:00.')] }

    const body = encode({ model: caching, tools, messages: [hi, system], transientMessages: 1 })

    expect(JSON.stringify(body)).not.toContain('cache_control')
  })

  it('last an hour on request', () => {
    const body = encode({ model: caching }, createAnthropicCodec({ cacheLifetime: '1h' }))

    expect(body.messages[0]?.content[0]?.cache_control).toEqual({ type: 'ephemeral', ttl: '1h' })
  })
})
