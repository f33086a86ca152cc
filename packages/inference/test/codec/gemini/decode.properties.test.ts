import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunk, decodeStream, sse } from './gemini.ts'

const odd = fc.oneof(
  fc.constantFrom('', 'a', '$.a', '$.a[0].b', 'image/png', 'AAAA', '__proto__'),
  fc.integer({ min: -1, max: 3 }),
  fc.constant(null),
  fc.constant([]),
  fc.constant({ a: 1 }),
  fc.boolean(),
)
const value = fc.record({ jsonPath: odd, stringValue: odd, numberValue: odd, willContinue: odd }, { requiredKeys: [] })
const call = fc.record(
  { name: odd, id: odd, args: odd, partialArgs: fc.oneof(fc.array(value, { maxLength: 2 }), odd), willContinue: odd },
  { requiredKeys: [] },
)
const part = fc.record(
  {
    text: odd,
    thought: odd,
    thoughtSignature: odd,
    functionCall: fc.oneof(call, odd),
    inlineData: fc.oneof(fc.record({ mimeType: odd, data: odd }), odd),
    executableCode: odd,
  },
  { requiredKeys: [] },
)
const piece = fc.record(
  {
    candidates: fc.oneof(
      fc.array(
        fc.record({ index: odd, content: fc.oneof(fc.record({ parts: fc.array(part, { maxLength: 3 }) }), odd) }),
        {
          maxLength: 2,
        },
      ),
      odd,
    ),
    promptFeedback: odd,
    usageMetadata: fc.oneof(fc.record({ promptTokenCount: odd, thoughtsTokenCount: odd }), odd),
    modelVersion: odd,
    responseId: odd,
  },
  { requiredKeys: [] },
)

describe('any chunks of the Gemini protocol', () => {
  it('make a message that holds together; a response that has a reason is never lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 10 }), async (pieces) => {
        const { error, response } = await decodeStream(sse(...pieces, chunk([], 'STOP')))

        expect(error).toBeUndefined()
        expect(response.finish).toBeDefined()
      }),
      { numRuns: 500 },
    )
  })
})
