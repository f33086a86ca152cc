import { type Block, textBlock, userMessage } from '@looprig/core'
import { chatProfiles } from '@looprig/inference/openai'
import { describe, expect, it } from 'vitest'
import { ableModel, assistant, encodeChat, toolResult } from '../../support/encode-chat.ts'

const details = [
  { type: 'reasoning.text', text: 'Weather?', format: 'anthropic-claude-v1', index: 0, signature: 'Sig+/=' },
  { type: 'reasoning.encrypted', data: 'gAAA', id: 'rs_1' },
]
const thought = { type: 'thinking', text: 'Weather?' } as const
const detailed = { ...thought, state: { format: 'openai-chat-reasoning-details', data: details } } as const
const sealed = { type: 'thinking', text: 'Mine.', seal: { format: 'anthropic', signature: 's' } } as const
const call = { type: 'tool_use', id: 'call_1', name: 'now', input: {} } as const
const loop = (...blocks: readonly Block[]) => [
  userMessage('Hi'),
  assistant(...blocks, call),
  toolResult('call_1', textBlock('noon')),
]

describe('past thinking', () => {
  it('never goes to the plain protocol', () => {
    const body = JSON.stringify(encodeChat({ messages: loop(detailed, sealed, thought) }))

    expect(body).not.toMatch(/Weather|Mine|reasoning|Sig/)
  })

  it('goes back unchanged as reasoning_details', () => {
    const { messages } = encodeChat({ messages: loop(detailed) }, chatProfiles.openrouter)

    expect(messages[1]?.reasoning_details).toEqual(details)
    expect(messages[1]).not.toHaveProperty('reasoning_content')
  })

  it('goes back as reasoning_content to DeepSeek, as an empty one where there was none', () => {
    const { messages } = encodeChat(
      { messages: [assistant(thought, textBlock('Earlier')), ...loop(sealed)] },
      chatProfiles.deepseek,
    )

    expect(messages.map((message) => message.reasoning_content)).toEqual(['Weather?', undefined, '', undefined])
  })

  it('goes back only since the last message of a user where a server wants it in the tool loop', () => {
    const { messages } = encodeChat(
      { messages: [assistant(thought, textBlock('Earlier')), ...loop(thought)] },
      chatProfiles.groq,
    )

    expect(messages.map((message) => message.reasoning)).toEqual([undefined, undefined, 'Weather?', undefined])
  })

  it('goes back as a thinking part before the text to Mistral', () => {
    const { messages } = encodeChat({ messages: loop(thought, textBlock('Let me see.')) }, chatProfiles.mistral)

    expect(messages[1]?.content).toEqual([
      { type: 'thinking', thinking: [{ type: 'text', text: 'Weather?' }] },
      { type: 'text', text: 'Let me see.' },
    ])
  })

  it.each([
    ['deepseek', undefined, true],
    ['deepseek', false, false],
    ['groq', undefined, false],
    ['groq', true, true],
  ] as const)('goes back to %s for a model whose thinking is %s: %s', (name, thinks, goes) => {
    const model = { ...ableModel, capabilities: { tools: true, thinking: thinks } }

    const body = JSON.stringify(encodeChat({ model, messages: loop(thought) }, chatProfiles[name]))

    expect(body.includes('Weather?')).toBe(goes)
  })

  it.each(Object.entries(chatProfiles))('that another protocol sealed never goes to %s', (_name, profile) => {
    const foreign = { type: 'thinking', text: '', state: { format: 'gemini', data: { signature: 'G' } } } as const

    expect(JSON.stringify(encodeChat({ messages: loop(sealed, foreign) }, profile))).not.toMatch(/Mine|"s"|"G"/)
  })
})

describe('what a server attached to a call', () => {
  const extra = { google: { thought_signature: 'Sig' } }
  const attached = { ...call, state: { format: 'openai-chat-extra-content', data: extra } }

  it('goes back to Gemini and to nobody else', () => {
    const to = (profile: keyof typeof chatProfiles) =>
      encodeChat({ messages: [assistant(attached)] }, chatProfiles[profile]).messages[0]?.tool_calls

    expect(to('gemini')).toMatchObject([{ id: 'call_1', extra_content: extra }])
    expect(JSON.stringify(to('openai'))).not.toContain('Sig')
  })

  it('stays away when it is of another codec', () => {
    const foreign = { ...call, state: { format: 'gemini', data: { thoughtSignature: 'Sig' } } }

    expect(JSON.stringify(encodeChat({ messages: [assistant(foreign)] }, chatProfiles.gemini))).not.toContain('Sig')
  })
})
