import type { Block, JsonObject, JsonValue, Usage } from '@looprig/core'
import fc from 'fast-check'

/** Any text, with emoji, other scripts and control characters. */
export const arbitraryText = fc.string({ unit: 'grapheme', maxLength: 12 })

/** Any JSON value as `JSON.parse` gives it. */
export const arbitraryJson: fc.Arbitrary<JsonValue> = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonValue) // proved: JSON.parse gives nothing else

/** Any JSON object, with a member named `__proto__` now and then. */
export const arbitraryJsonObject: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(fc.oneof(fc.string({ maxLength: 5 }), fc.constant('__proto__')), arbitraryJson), { maxLength: 4 })
  .map((entries) => Object.fromEntries(entries))

const present = <T extends object>(value: T): T => JSON.parse(JSON.stringify(value)) as T // proved: drops members that are undefined, all of them optional here

const state = fc.record({ format: fc.string({ maxLength: 5 }), data: arbitraryJson })

/** Any block but an image or a tool result: those that a model's response has. */
export const arbitraryResponseBlock: fc.Arbitrary<Block> = fc.oneof(
  arbitraryText.map((text): Block => ({ type: 'text', text })),
  arbitraryText.map((text): Block => ({ type: 'refusal', text })),
  fc
    .record(
      { text: arbitraryText, seal: fc.record({ format: fc.string(), signature: fc.string() }), state },
      { requiredKeys: ['text'] },
    )
    .map((parts): Block => present({ type: 'thinking', ...parts })),
  fc
    .record(
      { id: fc.string({ maxLength: 3 }), name: fc.string(), input: arbitraryJsonObject, state },
      {
        requiredKeys: ['id', 'name', 'input'],
      },
    )
    .map((parts): Block => ({ type: 'tool_use', ...parts }) as Block), // proved: exact members of a ToolUseBlock
)

/** Any block, results nested one level deep. */
export const arbitraryBlock: fc.Arbitrary<Block> = fc.oneof(
  arbitraryResponseBlock,
  fc.constantFrom<Block>(
    { type: 'image', mediaType: 'image/png', data: 'aGk=' },
    { type: 'image', mediaType: 'image/webp', url: 'https://example.org/a.webp', name: 'a' },
  ),
  fc
    .record({
      toolUseId: fc.string(),
      content: fc.array(arbitraryResponseBlock, { maxLength: 3 }),
      isError: fc.boolean(),
    })
    .map((parts): Block => ({ type: 'tool_result', ...parts })),
)

const tokens = fc.nat({ max: 1_000_000 })

/** Any usage, with any of its fields missing. */
export const arbitraryUsage: fc.Arbitrary<Usage> = fc.record(
  {
    inputTokens: tokens,
    outputTokens: tokens,
    cacheReadTokens: tokens,
    cacheCreationTokens: tokens,
    reasoningTokens: tokens,
  },
  { requiredKeys: [] },
)
