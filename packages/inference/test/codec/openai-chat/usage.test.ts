import type { JsonValue } from '@looprig/core'
import { usageSchema } from '@looprig/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readUsage } from '../../../src/codec/openai-chat/usage.ts'

describe('readUsage', () => {
  it('takes cached and written tokens out of the input', () => {
    const usage = readUsage({
      prompt_tokens: 100,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      completion_tokens_details: { reasoning_tokens: 5 },
    })

    expect(usage).toEqual({
      inputTokens: 10,
      outputTokens: 20,
      cacheReadTokens: 60,
      cacheCreationTokens: 30,
      reasoningTokens: 5,
    })
  })

  it('reads the cache count of servers that put it beside the input', () => {
    const usage = readUsage({ prompt_tokens: 50, completion_tokens: 1, prompt_cache_hit_tokens: 40 })

    expect(usage).toEqual({ inputTokens: 10, outputTokens: 1, cacheReadTokens: 40 })
  })

  it('adds reasoning to the output where the total says that it was counted beside it', () => {
    const usage = readUsage({
      prompt_tokens: 300,
      completion_tokens: 20,
      total_tokens: 520,
      completion_tokens_details: { reasoning_tokens: 200 },
    })

    expect(usage).toEqual({ inputTokens: 300, outputTokens: 220, reasoningTokens: 200 })
  })

  it('clamps cached input that is more than all of it, and keeps reasoning that is more than the output', () => {
    const usage = readUsage({
      prompt_tokens: 5,
      completion_tokens: 2,
      prompt_tokens_details: { cached_tokens: 9 },
      completion_tokens_details: { reasoning_tokens: 7 },
    })

    expect(usage).toEqual({ inputTokens: 0, outputTokens: 2, cacheReadTokens: 5, reasoningTokens: 7 })
  })

  it('takes null details as not reported', () => {
    expect(readUsage({ prompt_tokens: 5, prompt_tokens_details: { cached_tokens: null } })).toEqual({ inputTokens: 5 })
  })

  it.each<JsonValue | undefined>([undefined, null, 'many', [], {}, { prompt_tokens: '5' }, { completion_tokens: -1 }])(
    'finds no usage in %j',
    (value) => {
      expect(readUsage(value)).toBeUndefined()
    },
  )

  it('never throws and only gives what the schema takes, whatever the counts are', () => {
    const count = fc.oneof(fc.nat(), fc.double(), fc.constantFrom(null, '5', -1, Number.MAX_SAFE_INTEGER))
    const details = fc.oneof(count, fc.dictionary(fc.constantFrom('cached_tokens', 'reasoning_tokens'), count))
    const key = fc.constantFrom(
      'prompt_tokens',
      'completion_tokens',
      'total_tokens',
      'prompt_tokens_details',
      'completion_tokens_details',
    )
    fc.assert(
      fc.property(fc.dictionary(key, details), (raw) => {
        const usage = readUsage(raw)

        expect(usageSchema.safeParse(usage ?? {}).success).toBe(true)
      }),
    )
  })
})
