import { textBlock, userMessage } from '@looprig/core'
import type { InferenceRequest, ToolSpec } from '@looprig/inference'
import { type ChatProfileName, chatProfiles, createChatCodec } from '@looprig/inference/openai'
import { describe, expect, it } from 'vitest'
import { ableModel, assistant, encodeChat, toolResult } from '../../support/encode-chat.ts'

const names = Object.keys(chatProfiles) as ChatProfileName[] // proved: the keys of the record
const tool = (name: string): ToolSpec => ({ name, description: name, inputSchema: { type: 'object' } })
const tools = [tool('read'), tool('write'), tool('list')]
const to = (name: ChatProfileName, parts: Partial<InferenceRequest>) => encodeChat(parts, chatProfiles[name])

describe('a request to Mistral', () => {
  const messages = [
    userMessage('Hi'),
    assistant({ type: 'tool_use', id: 'toolu_01', name: 'read', input: {} }),
    toolResult('toolu_01', textBlock('ok')),
    userMessage('Next'),
  ]

  it('has ids of nine letters and digits, equal for a call and its result', () => {
    const { messages: sent } = to('mistral', { messages })
    const id = sent[2]?.tool_call_id

    expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(sent[1]?.tool_calls).toMatchObject([{ id }])
  })

  it('keeps an id that has the form', () => {
    const made = to('mistral', { messages: [toolResult('D681PevKs', textBlock('ok'))] })

    expect(made.messages[0]?.tool_call_id).toBe('D681PevKs')
  })

  it('lets the assistant speak between tool results and a user', () => {
    expect(to('mistral', { messages }).messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
  })

  it('lets the assistant speak before pictures of a result too', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const

    const made = to('mistral', { messages: [toolResult('D681PevKs', image), assistant(textBlock('I see'))] })

    expect(made.messages.map(({ role }) => role)).toEqual(['tool', 'assistant', 'user', 'assistant'])
  })

  it('adds nothing where the assistant answers the results itself', () => {
    const answered = [...messages.slice(0, 3), assistant(textBlock('Done')), userMessage('Next')]

    expect(to('mistral', { messages: answered }).messages).toHaveLength(5)
  })

  it('has its word for a call that must be made, and no field that it refuses', () => {
    const { body } = createChatCodec(chatProfiles.mistral).encode(
      {
        model: ableModel,
        tools,
        toolChoice: 'required',
        messages: [assistant({ type: 'refusal', text: 'No.' })],
        sampling: { maxOutputTokens: 9 },
      },
      'stream',
    )

    expect(JSON.parse(body)).toMatchObject({
      tool_choice: 'any',
      max_tokens: 9,
      messages: [{ role: 'assistant', content: 'No.' }],
    })
    expect(body).not.toMatch(/stream_options|refusal|max_completion_tokens/)
  })
})

describe('a choice of one tool', () => {
  it('names the tool', () => {
    expect(to('openai', { tools, toolChoice: { name: 'write' } })).toMatchObject({
      tool_choice: { type: 'function', function: { name: 'write' } },
      tools: { length: 3 },
    })
  })

  it('sends the tool alone where a server takes no name', () => {
    const body = to('lmstudio', { tools, toolChoice: { name: 'write' } })

    expect(body.tool_choice).toBe('required')
    expect(body.tools).toMatchObject([{ function: { name: 'write' } }])
  })
})

describe('a choice of some tools', () => {
  const toolChoice = { allowed: ['read', 'list'], required: true }

  it('names them for OpenAI, so that the list of tools stays as it is', () => {
    expect(to('openai', { tools, toolChoice })).toMatchObject({
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'required',
          tools: [
            { type: 'function', function: { name: 'read' } },
            { type: 'function', function: { name: 'list' } },
          ],
        },
      },
      tools: { length: 3 },
    })
  })

  it.each(names.filter((name) => name !== 'openai' && name !== 'azure'))('sends these alone to %s', (name) => {
    const body = to(name, { tools, toolChoice })

    expect(body.tools).toMatchObject([{ function: { name: 'read' } }, { function: { name: 'list' } }])
    expect(body.tool_choice).toBe(name === 'mistral' ? 'any' : 'required')
  })

  it('may be none of them', () => {
    expect(to('openai', { tools, toolChoice: { allowed: [] } })).toMatchObject({ tool_choice: 'none' })
  })

  it('refuses one that is not there, and a call that must be made of none', () => {
    expect(() => to('openai', { tools, toolChoice: { allowed: ['read', 'other'] } })).toThrow(/^toolChoice: /)
    expect(() => to('openai', { tools, toolChoice: { allowed: [], required: true } })).toThrow(/^toolChoice: /)
  })
})

describe('other fields', () => {
  it('ask for at most one call', () => {
    expect(to('openai', { tools, parallelToolCalls: false })).toMatchObject({ parallel_tool_calls: false })
    expect(to('openai', { parallelToolCalls: false })).not.toHaveProperty('parallel_tool_calls')
  })

  it('put the effort where OpenRouter has it', () => {
    expect(to('openrouter', { sampling: { effort: 'high' } })).toMatchObject({ reasoning: { effort: 'high' } })
  })

  it('call instructions by the role that a profile says', () => {
    const body = encodeChat({ system: 'Be brief.' }, { systemRole: 'developer' })

    expect(body.messages).toEqual([{ role: 'developer', content: 'Be brief.' }])
  })

  it('of a profile go into every body, and outrank nothing', () => {
    const body = encodeChat({}, { body: { provider: { zdr: true }, model: 'other' } })

    expect(body).toMatchObject({ provider: { zdr: true }, model: 'lark-2' })
  })

  it.each(['messages', 'tools', 'stream'])('of a profile may not be %s', (field) => {
    expect(() => createChatCodec({ body: { [field]: [] } })).toThrow(
      expect.objectContaining({ code: 'invalid_options', message: expect.stringContaining(`profile.body.${field}`) }),
    )
  })
})

describe('every profile', () => {
  it.each(names)('%s encodes two calls and their results as one batch', (name) => {
    const { messages } = to(name, {
      tools,
      messages: [
        userMessage('Both'),
        assistant(
          { type: 'tool_use', id: 'call_aaaa', name: 'read', input: { path: 'a' } },
          { type: 'tool_use', id: 'call_bbbb', name: 'read', input: { path: 'b' } },
        ),
        toolResult('call_aaaa', textBlock('one')),
        toolResult('call_bbbb', textBlock('two')),
      ],
    })

    const calls = messages[1]?.tool_calls as readonly { id: string; function: { arguments: string } }[] // proved: two calls
    expect(calls.map((call) => call.function.arguments)).toEqual(['{"path":"a"}', '{"path":"b"}'])
    expect(messages.slice(2).map((message) => message.tool_call_id)).toEqual(calls.map((call) => call.id))
  })

  it.each(names)('%s encodes a conversation without messages as an empty list', (name) => {
    expect(to(name, {}).messages).toEqual([])
  })
})
