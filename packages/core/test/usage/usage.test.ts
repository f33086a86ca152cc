import { addUsage, usageSchema } from '@looprig/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryUsage } from '../support/arbitrary-blocks.ts'

describe('addUsage', () => {
  it('adds field by field and leaves out what neither side reported', () => {
    const sum = addUsage({ inputTokens: 1, cacheReadTokens: 0 }, { inputTokens: 2, outputTokens: 3 })

    expect(sum).toEqual({ inputTokens: 3, cacheReadTokens: 0, outputTokens: 3 })
  })

  it('takes more reasoning than output as it is', () => {
    expect(addUsage({ outputTokens: 1, reasoningTokens: 9 }, {})).toEqual({ outputTokens: 1, reasoningTokens: 9 })
  })

  it('stops at the largest safe integer', () => {
    const sum = addUsage({ inputTokens: Number.MAX_SAFE_INTEGER }, { inputTokens: Number.MAX_SAFE_INTEGER })

    expect(sum.inputTokens).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('does not depend on the order and always gives what the schema takes', () => {
    fc.assert(
      fc.property(arbitraryUsage, arbitraryUsage, (a, b) => {
        const sum = addUsage(a, b)

        expect(sum).toEqual(addUsage(b, a))
        expect(usageSchema.safeParse(sum).success).toBe(true)
      }),
    )
  })
})
