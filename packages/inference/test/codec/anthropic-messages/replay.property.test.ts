import type { Message } from '@looprig/core'
import { userMessage } from '@looprig/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeWhole } from './decoded.ts'
import { result, wire } from './encoded.ts'

const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => text.trim() !== '')
const block = fc.oneof(
  fc.record({ type: fc.constant('thinking'), thinking: fc.string({ unit: 'grapheme' }), signature: word }),
  fc.record({ type: fc.constant('redacted_thinking'), data: word }),
  fc.record({ type: fc.constant('text'), text: word }),
  fc.record({
    type: fc.constant('server_tool_use'),
    id: word,
    name: word,
    input: fc.dictionary(word, fc.jsonValue({ maxDepth: 2 })),
  }),
)

describe('a response that is sent back', () => {
  it('is what came, block for block, in the next step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(block, { maxLength: 6 }), async (blocks) => {
        const content = [...blocks, { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } }]
        const { response } = await decodeWhole(JSON.stringify({ content, stop_reason: 'tool_use' }))
        // stored and read again
        const message = JSON.parse(JSON.stringify(response.message)) as Message

        const messages = wire(userMessage('Hi'), message, result('toolu_1', 'x'))

        expect(messages[1]).toEqual({ role: 'assistant', content: JSON.parse(JSON.stringify(content)) })
      }),
      { numRuns: 200 },
    )
  })
})
