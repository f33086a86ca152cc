import { type Message, textBlock, userMessage } from '@looprig/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assistant, toolResult } from '../../support/encode-chat.ts'
import { encodeResponses } from './responses.ts'

const ids = fc.constantFrom('a', 'b', 'c', 'a-2', 'x'.repeat(70))

const messages: fc.Arbitrary<Message[]> = fc.array(
  fc.oneof(
    fc.string().map((text) => userMessage(text)),
    fc
      .array(ids, { maxLength: 3 })
      .map((calls) =>
        assistant(
          ...calls
            .filter((id, at) => calls.indexOf(id) === at)
            .map((id) => ({ type: 'tool_use', id, name: 'Now', input: {} }) as const),
        ),
      ),
    ids.map((id) => toolResult(id, textBlock('ok'))),
  ),
  { maxLength: 12 },
)

interface Item {
  readonly type?: string
  readonly role?: string
  readonly call_id?: string
}

describe('any history on the Responses protocol', () => {
  it('has ids of its own for every call, and one result for each right after its step', () => {
    fc.assert(
      fc.property(messages, (history) => {
        const input = encodeResponses({ messages: history }).input as readonly Item[]
        const seen = new Set<string>()
        let open = new Set<string>()
        let answering = false
        for (const { type, call_id: id = '' } of input) {
          if (type === 'function_call') {
            expect(seen.has(id)).toBe(false)
            if (answering) expect(open.size).toBe(0)
            answering = false
            seen.add(id)
            open.add(id)
          } else if (type === 'function_call_output') {
            expect(open.delete(id)).toBe(true)
            answering = true
          } else {
            expect(open.size).toBe(0)
            open = new Set()
          }
        }
        expect(open.size).toBe(0)
      }),
    )
  })
})
