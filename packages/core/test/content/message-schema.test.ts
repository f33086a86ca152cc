import {
  aiMessageSchema,
  type Message,
  messageSchema,
  systemMessageSchema,
  toolResultMessageSchema,
  userMessage,
  userMessageSchema,
} from '@looprig/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryBlock, arbitraryUsage } from '../support/arbitrary-blocks.ts'

/** One message of each role with every field; a new role fails to compile here. */
const wholeMessages: Record<Message['role'], Message> = {
  system: { role: 'system', blocks: [{ type: 'text', text: 'Be brief.' }] },
  user: { role: 'user', blocks: [{ type: 'text', text: 'Hi' }] },
  assistant: {
    role: 'assistant',
    blocks: [{ type: 'refusal', text: '' }],
    usage: { inputTokens: 3, outputTokens: 0, cacheReadTokens: 1, cacheCreationTokens: 2, reasoningTokens: 0 },
    model: 'm-1',
  },
  tool: { role: 'tool', toolUseId: 'call_1', isError: false, blocks: [] },
}

const arbitraryMessage: fc.Arbitrary<Message> = fc
  .record({ blocks: fc.array(arbitraryBlock, { maxLength: 4 }), usage: arbitraryUsage, isError: fc.boolean() })
  .chain(({ blocks, usage, isError }) =>
    fc.constantFrom<Message>(
      { role: 'system', blocks },
      { role: 'user', blocks },
      { role: 'assistant', blocks, usage },
      { role: 'assistant', blocks, model: 'm' },
      { role: 'tool', toolUseId: 'x', isError, blocks },
    ),
  )

describe('messageSchema', () => {
  it.each(Object.keys(wholeMessages))('reads a stored %s message with every field as it was', (role) => {
    const message = wholeMessages[role as Message['role']] // proved: one of its own keys

    const read = messageSchema.parse(JSON.parse(JSON.stringify(message)))

    expect(read).toEqual(message)
  })

  it('reads any stored message as it was', () => {
    fc.assert(
      fc.property(arbitraryMessage, (message) => {
        const json = JSON.stringify(message)

        expect(JSON.stringify(messageSchema.parse(JSON.parse(json)))).toBe(json)
      }),
    )
  })

  it('keeps a usage without counts apart from no usage', () => {
    const withUsage = messageSchema.parse({ role: 'assistant', blocks: [], usage: {} })
    const without = messageSchema.parse({ role: 'assistant', blocks: [] })

    expect(withUsage).toHaveProperty('usage', {})
    expect(without).not.toHaveProperty('usage')
  })

  it.each([
    ['an unknown role', { role: 'developer', blocks: [] }],
    ['blocks that are missing', { role: 'user' }],
    ['a tool result without isError', { role: 'tool', toolUseId: 'x', blocks: [] }],
    ['a negative count', { role: 'assistant', blocks: [], usage: { inputTokens: -1 } }],
    ['a count with a fraction', { role: 'assistant', blocks: [], usage: { inputTokens: 1.5 } }],
    ['a usage that is undefined', { role: 'assistant', blocks: [], usage: undefined }],
  ])('refuses %s', (_what, value) => {
    expect(messageSchema.safeParse(value).success).toBe(false)
  })
})

describe('the schema of one role', () => {
  it.each([
    ['system', systemMessageSchema],
    ['user', userMessageSchema],
    ['assistant', aiMessageSchema],
    ['tool', toolResultMessageSchema],
  ] as const)('reads %s and refuses every other role', (role, schema) => {
    for (const message of Object.values(wholeMessages)) {
      expect(schema.safeParse(message).success).toBe(message.role === role)
    }
  })
})

describe('userMessage', () => {
  it('makes a message of one text', () => {
    expect(userMessage('Hi')).toEqual(wholeMessages.user)
  })
})
