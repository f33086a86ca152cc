import { type Message, textBlock, userMessage } from '@looprig/core'
import type { InferenceRequest } from '@looprig/inference'
import { chatProfiles } from '@looprig/inference/openai'
import { describe, expect, it } from 'vitest'
import { ableModel, assistant, encodeChat, toolResult } from '../../support/encode-chat.ts'

const marker = { cache_control: { type: 'ephemeral' } }
const loop: readonly Message[] = [
  userMessage('Hi'),
  assistant({ type: 'tool_use', id: 'a', name: 'now', input: {} }),
  toolResult('a', textBlock('noon')),
]
const encode = (parts: Partial<InferenceRequest>) =>
  encodeChat({ system: 'Be brief.', ...parts }, chatProfiles.openrouter)
const isMarked = (message: unknown) => JSON.stringify(message).includes('cache_control')

describe('cache markers', () => {
  it('stand on the instructions and on the last message that is sent again', () => {
    const { messages } = encode({ messages: loop })

    expect(messages).toMatchObject([
      { role: 'system', content: [{ type: 'text', text: 'Be brief.', ...marker }] },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant' },
      { role: 'tool', content: [{ type: 'text', text: 'noon', ...marker }] },
    ])
    expect(messages.map(isMarked)).toEqual([true, false, false, true])
  })

  it('never stand after a message that is for one request only', () => {
    const { messages } = encode({ messages: [...loop, userMessage('It is Monday.')], transientMessages: 1 })

    expect(messages.map(isMarked)).toEqual([true, false, false, true, false])
  })

  it('stand on text alone', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const

    const { messages } = encode({ messages: [{ role: 'user', blocks: [textBlock('See'), image] }] })

    expect(messages[1]?.content).toEqual([
      { type: 'text', text: 'See', ...marker },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
    ])
  })

  it('leave the rest of what was sent before as it was', () => {
    const withoutMarkers = (messages: readonly unknown[]) =>
      JSON.stringify(messages).replaceAll(',"cache_control":{"type":"ephemeral"}', '')

    const first = withoutMarkers(encode({ messages: loop }).messages)
    const second = withoutMarkers(
      encode({ messages: [...loop, assistant(textBlock('Noon.')), userMessage('Ah')] }).messages,
    )

    expect(second.startsWith(first.slice(0, -1))).toBe(true)
  })

  it('need the capability of the model and a server that takes them', () => {
    const model = { ...ableModel, capabilities: { tools: true } }

    expect(isMarked(encode({ model, messages: loop }))).toBe(false)
    expect(isMarked(encodeChat({ messages: loop }, chatProfiles.openai))).toBe(false)
  })

  it.each([-1, 0.5, 4])('refuse %s as a number of messages for one request only', (transientMessages) => {
    expect(() => encode({ messages: loop, transientMessages })).toThrow(/^transientMessages: /)
  })
})
