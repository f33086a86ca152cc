import { addUsage, contextTokens, soundUsage, tokenCount, totalTokens, type Usage, usageSchema } from '@looprig/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraries } from '../support/arbitraries.ts'

const most = Number.MAX_SAFE_INTEGER
const hostile = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300, '7', null, {}, []]
const hostileUsage = fc.dictionary(
  fc.constantFrom('inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens', 'reasoningTokens'),
  fc.oneof(fc.constantFrom(...hostile), fc.double(), fc.integer(), fc.anything()),
) as fc.Arbitrary<Usage> // a provider's numbers, which no type holds in check

describe('tokenCount', () => {
  it.each([0, 7, most])('takes %j', (value) => {
    expect(tokenCount(value)).toBe(value)
  })

  it.each(hostile)('takes %j as not reported', (value) => {
    expect(tokenCount(value)).toBeUndefined()
  })
})

describe('soundUsage', () => {
  it('leaves out what makes no sense and keeps the rest, unknown members too', () => {
    const usage = { inputTokens: -5, outputTokens: 3, costUsd: 0.01 }

    expect(soundUsage(usage)).toEqual({ outputTokens: 3, costUsd: 0.01 })
  })

  it('gives the same object when all makes sense', () => {
    const usage: Usage = { inputTokens: 1, reasoningTokens: 9 }

    expect(soundUsage(usage)).toBe(usage)
  })
})

describe('addUsage', () => {
  it('adds field by field and leaves out what neither side reported', () => {
    const sum = addUsage({ inputTokens: 1, cacheReadTokens: 0 }, { inputTokens: 2, outputTokens: 3 })

    expect(sum).toEqual({ inputTokens: 3, cacheReadTokens: 0, outputTokens: 3 })
  })

  it('takes more reasoning than output as it is', () => {
    expect(addUsage({ outputTokens: 1, reasoningTokens: 9 }, {})).toEqual({ outputTokens: 1, reasoningTokens: 9 })
  })

  it('stops at the largest safe integer', () => {
    const sum = addUsage({ inputTokens: most }, { inputTokens: most })

    expect(sum.inputTokens).toBe(most)
  })

  it('does not depend on the order and always gives what the schema takes', () => {
    fc.assert(
      fc.property(arbitraries.usage, arbitraries.usage, (a, b) => {
        const sum = addUsage(a, b)

        expect(sum).toEqual(addUsage(b, a))
        expect(usageSchema.parse(sum)).toEqual(sum)
      }),
    )
  })

  it('gives sound counts for any counts and never throws', () => {
    fc.assert(
      fc.property(hostileUsage, hostileUsage, (a, b) => {
        const sum = addUsage(a, b)

        expect(soundUsage(sum)).toBe(sum)
        expect(tokenCount(totalTokens(sum))).toBe(totalTokens(sum))
      }),
    )
  })
})

describe('contextTokens and totalTokens', () => {
  it('count what was read from and written to a cache once, and reasoning as a part of the output', () => {
    const usage = {
      inputTokens: 1,
      cacheReadTokens: 20,
      cacheCreationTokens: 300,
      outputTokens: 4000,
      reasoningTokens: 9,
    }

    expect(contextTokens(usage)).toBe(321)
    expect(totalTokens(usage)).toBe(4321)
  })

  it('stop at the largest safe integer', () => {
    expect(totalTokens({ inputTokens: most, cacheReadTokens: most, outputTokens: most })).toBe(most)
  })

  it('are 0 where nothing was reported', () => {
    expect(totalTokens({})).toBe(0)
  })
})

describe('usageSchema', () => {
  it('reads a stored count that makes no sense as not reported', () => {
    const read = usageSchema.parse(
      JSON.parse('{"inputTokens":null,"outputTokens":-3,"reasoningTokens":1e99,"cacheReadTokens":5}'),
    )

    expect(read).toEqual({ cacheReadTokens: 5 })
  })

  it('keeps a member that it does not know', () => {
    expect(usageSchema.parse({ inputTokens: 1, costUsd: 0.5 })).toEqual({ inputTokens: 1, costUsd: 0.5 })
  })

  it.each([null, 7, [], 'x'])('refuses %j, which is no usage', (value) => {
    expect(usageSchema.safeParse(value).success).toBe(false)
  })
})
