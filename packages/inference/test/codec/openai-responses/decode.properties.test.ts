import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { completed, decodeStream, sse } from './responses.ts'

const types = [
  'response.output_item.added',
  'response.output_item.done',
  'response.content_part.added',
  'response.content_part.done',
  'response.output_text.delta',
  'response.output_text.done',
  'response.refusal.delta',
  'response.refusal.done',
  'response.reasoning_summary_text.delta',
  'response.reasoning_summary_part.done',
  'response.reasoning_text.delta',
  'response.function_call_arguments.delta',
  'response.function_call_arguments.done',
  'response.custom_tool_call_input.delta',
  'response.completed',
  'response.incomplete',
  'response.in_progress',
]
const word = fc.constantFrom('', 'a', 'b', 'completed', 'incomplete')
const odd = fc.oneof(word, fc.integer({ min: -1, max: 3 }), fc.constant(null), fc.constant([]), fc.constant({}))
const part = fc.record(
  { type: fc.constantFrom('output_text', 'refusal', 'reasoning_text', 'new'), text: odd, refusal: odd },
  { requiredKeys: [] },
)
const item = fc.record(
  {
    type: fc.constantFrom('message', 'reasoning', 'function_call', 'custom_tool_call', 'new', 5),
    id: odd,
    call_id: odd,
    name: odd,
    arguments: odd,
    input: odd,
    phase: odd,
    content: fc.oneof(fc.array(fc.oneof(part, odd), { maxLength: 2 }), odd),
    summary: fc.oneof(fc.array(part, { maxLength: 2 }), odd),
    encrypted_content: odd,
  },
  { requiredKeys: [] },
)
const event = fc.record(
  {
    type: fc.constantFrom(...types),
    output_index: fc.oneof(fc.integer({ min: -1, max: 2 }), fc.constant(1e300), fc.constant('x')),
    content_index: odd,
    summary_index: odd,
    item_id: odd,
    item: fc.oneof(item, odd),
    part: fc.oneof(part, odd),
    delta: odd,
    text: odd,
    refusal: odd,
    arguments: odd,
    response: fc.oneof(
      fc.record({ status: odd, output: fc.array(item, { maxLength: 2 }), usage: odd }, { requiredKeys: [] }),
      odd,
    ),
  },
  { requiredKeys: ['type'] },
)

describe('any events of the Responses protocol', () => {
  it('make a message that holds together, or a typed error; a response that is complete is never lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 12 }), async (events) => {
        const { error, response } = await decodeStream(sse(...events, completed()))

        if (error === undefined) expect(response.finish).toBeDefined()
        else expect(error).toMatchObject({ code: 'malformed', message: expect.stringContaining('no end') })
      }),
      { numRuns: 500 },
    )
  })
})
