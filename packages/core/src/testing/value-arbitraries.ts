import type { Arbitrary } from 'fast-check'
import type { JsonObject, JsonValue } from '../json/json-value.ts'
import type { Usage } from '../usage/usage.ts'
import type { FastCheck } from './fast-check.ts'

/** Generators of what blocks and messages are made of. */
export interface ValueArbitraries {
  /** Any text: emoji, other scripts, control characters, and now and then half of a surrogate pair. */
  readonly text: Arbitrary<string>
  /** Any JSON value as `JSON.parse` gives it. */
  readonly json: Arbitrary<JsonValue>
  /** Any JSON object, with a member named `__proto__` now and then. */
  readonly jsonObject: Arbitrary<JsonObject>
  /** Any usage, with any of its fields missing. */
  readonly usage: Arbitrary<Usage>
}

/** Makes the generators of values. */
export function valueArbitraries(fc: FastCheck): ValueArbitraries {
  const graphemes = fc.string({ unit: 'grapheme', maxLength: 12 })
  const halves = fc.constantFrom('\ud83d', 'cut \ud83d', '\udc4b tail', 'a\udc4b\ud83db')
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue) // proved: JSON.parse gives nothing else
  const key = fc.oneof(fc.string({ maxLength: 5 }), fc.constant('__proto__'))
  const tokens = fc.nat({ max: 1_000_000 })
  return {
    text: fc.oneof({ weight: 9, arbitrary: graphemes }, { weight: 1, arbitrary: halves }),
    json,
    jsonObject: fc.array(fc.tuple(key, json), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    usage: fc.record(
      {
        inputTokens: tokens,
        outputTokens: tokens,
        cacheReadTokens: tokens,
        cacheCreationTokens: tokens,
        reasoningTokens: tokens,
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  }
}
