import { type Message, textBlock, userMessage } from '@looprig/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assistant, toolResult } from '../../support/encode-chat.ts'
import { encodeGemini, second, third } from './gemini.ts'

const ids = fc.constantFrom('a', 'b', 'c')
const names = fc.constantFrom('Now', 'Grep')

const messages: fc.Arbitrary<Message[]> = fc.array(
  fc.oneof(
    fc.string().map((text) => userMessage(text)),
    fc
      .array(fc.tuple(ids, names), { maxLength: 3 })
      .map((calls) => assistant(...calls.map(([id, name]) => ({ type: 'tool_use', id, name, input: {} }) as const))),
    ids.map((id) => toolResult(id, textBlock(id))),
  ),
  { maxLength: 12 },
)

interface Part {
  readonly functionCall?: { readonly name: string }
  readonly functionResponse?: { readonly name: string }
  readonly thoughtSignature?: string
}

const namesOf = (parts: readonly Part[] = []): unknown[] =>
  parts.flatMap(({ functionCall, functionResponse }) => (functionCall ?? functionResponse)?.name ?? [])

describe('any history on the Gemini protocol', () => {
  it('has one result for each call, in order, in the content right after the step, and none elsewhere', () => {
    fc.assert(
      fc.property(messages, fc.constantFrom(second, third), (history, model) => {
        const { contents } = encodeGemini({ model, messages: history })
        let results = 0
        for (const [at, { role, parts }] of contents.entries()) {
          expect(parts.length).toBeGreaterThan(0)
          const calls = namesOf(parts as Part[])
          if (role === 'model') expect(namesOf(contents[at + 1]?.parts as Part[])).toEqual(calls)
          if (role === 'model') results += calls.length
          else results -= calls.length
          if (role === 'model' && calls.length > 0 && model === third) {
            expect((parts as Part[]).filter((part) => part.thoughtSignature !== undefined)).toHaveLength(1)
          }
        }
        expect(results).toBe(0)
      }),
    )
  })
})
