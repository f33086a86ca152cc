import {
  aiMessageSchema,
  maxBlockCharacters,
  messageSchema,
  systemMessageSchema,
  toolResultMessageSchema,
  userMessage,
  userMessageSchema,
} from '@looprig/core'
import { wholeMessages } from '@looprig/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraries } from '../support/arbitraries.ts'

describe('messageSchema', () => {
  it.each(Object.values(wholeMessages))('reads a stored $role message with every field as it was', (message) => {
    const read = messageSchema.parse(JSON.parse(JSON.stringify(message)))

    expect(read).toEqual(message)
  })

  it('reads any stored message as it was, and writes it out as it was', () => {
    fc.assert(
      fc.property(arbitraries.message, (message) => {
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

  it('does not lose a message for a count that makes no sense', () => {
    const read = messageSchema.parse({ role: 'assistant', blocks: [], usage: { inputTokens: -1, outputTokens: 1.5 } })

    expect(read).toEqual({ role: 'assistant', blocks: [], usage: {} })
  })

  it('keeps a member that it does not know', () => {
    const message = { role: 'user', blocks: [], sentBy: 'a' }

    expect(messageSchema.parse(message)).toEqual(message)
  })

  it.each([
    ['an unknown role', { role: 'developer', blocks: [] }],
    ['blocks that are missing', { role: 'user' }],
    ['a tool result without isError', { role: 'tool', toolUseId: 'x', blocks: [] }],
    ['a usage that is undefined', { role: 'assistant', blocks: [], usage: undefined }],
    ['a block that is larger than the cap', userMessage('x'.repeat(maxBlockCharacters))],
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
