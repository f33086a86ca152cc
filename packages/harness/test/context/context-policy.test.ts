import { scriptedClient } from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'
import { inputLimit, levelOf } from '../../src/context/context-level.ts'
import { type ContextPolicyOptions, resolveContextPolicy } from '../../src/context/context-policy.ts'
import { DefinitionError, defineLoop } from '../../src/index.ts'

const client = scriptedClient([])
const counter = { count: async () => 1, exact: true }
const windowed = (windowTokens?: number, maxOutputTokens?: number) => ({
  provider: 'p',
  name: 'm',
  limits: { windowTokens, maxOutputTokens },
})

describe('the context option', () => {
  it.each([
    ['reservedOutputTokens', { reservedOutputTokens: 0 }],
    ['reservedOutputTokens', { reservedOutputTokens: 1.5 }],
    ['safetyMarginTokens', { safetyMarginTokens: -1 }],
    ['safetyMarginTokens', { safetyMarginTokens: 0 }],
    ['safetyMarginTokens', { safetyMarginTokens: 0, counter: { ...counter, exact: false } }],
    ['compactAt', { compactAt: 0 }],
    ['compactAt', { compactAt: 1 }],
    ['compactAt', { compactAt: Number.NaN }],
    ['compactAt', { compactAt: 8_000 }],
    ['rearmBelow', { rearmBelow: 0 }],
    ['rearmBelow', { rearmBelow: 0.8 }],
    ['rearmBelow', { compactAt: 0.5 }],
    ['keepRecentSegments', { keepRecentSegments: 0 }],
    ['keepRecentTokens', { keepRecentTokens: 0 }],
    ['maxSummaryTokens', { maxSummaryTokens: 0 }],
    ['maxSummaryTokens', { maxSummaryTokens: 9_000 }],
    ['countTimeoutMs', { countTimeoutMs: 0 }],
    ['summaryTimeoutMs', { summaryTimeoutMs: 86_400_001 }],
    ['counter', { counter: {} as typeof counter }],
    ['automatic', { automatic: 'yes' as unknown as boolean }],
  ] satisfies [string, ContextPolicyOptions][])('names %s when it is not right', (field, context) => {
    const define = () => defineLoop({ name: 'main', client, model: windowed(100_000), context })

    expect(define).toThrow(DefinitionError)
    expect(define).toThrow(expect.objectContaining({ field: `context.${field}` }))
  })

  it('takes no margin with an exact counter', () => {
    expect(resolveContextPolicy({ safetyMarginTokens: 0, counter }, windowed())).toMatchObject({
      safetyMarginTokens: 0,
    })
  })

  it('refuses what leaves nothing of the model’s window', () => {
    expect(() => resolveContextPolicy({}, windowed(8_000))).toThrow(
      expect.objectContaining({ field: 'context.reservedOutputTokens' }),
    )
    expect(() => resolveContextPolicy({ maxSummaryTokens: 4_000 }, windowed(14_000))).toThrow(
      expect.objectContaining({ field: 'context.maxSummaryTokens' }),
    )
  })

  it('is a policy of defaults when it is empty', () => {
    expect(defineLoop({ name: 'main', client, model: windowed(), context: {} }).context).toMatchObject({
      compactAt: 0.8,
      rearmBelow: 0.6,
      automatic: true,
    })
  })
})

describe('the input limit', () => {
  const free = { reservedOutputTokens: 1_000, safetyMarginTokens: 100 }

  it.each([
    ['window without reserve and margin', { windowTokens: 10_000 }, 8_900],
    ['the model’s own output limit when that is less', { windowTokens: 10_000, maxOutputTokens: 500 }, 9_400],
    ['the reserve when the model could say more', { windowTokens: 10_000, maxOutputTokens: 5_000 }, 8_900],
    ['nothing without a window', { maxOutputTokens: 500 }, undefined],
    ['nothing when nothing is left', { windowTokens: 1_100 }, undefined],
  ])('is %s', (_, limits, limit) => {
    expect(inputLimit(free, limits)).toBe(limit)
  })
})

describe('the level', () => {
  const shares = { compactAt: 0.8, rearmBelow: 0.6 }
  const at = (inputTokens: number, previous: 'normal' | 'compact' | 'hard') =>
    levelOf(shares, { inputTokens, limitTokens: 100 }, previous)

  it('changes at compactAt and at the limit', () => {
    expect([0, 79, 80, 99, 100, 500].map((tokens) => at(tokens, 'normal'))).toEqual([
      'normal',
      'normal',
      'compact',
      'compact',
      'hard',
      'hard',
    ])
  })

  it('stays compact until it falls below rearmBelow', () => {
    expect([79, 60, 59].map((tokens) => at(tokens, 'compact'))).toEqual(['compact', 'compact', 'normal'])
    expect([99, 60, 59].map((tokens) => at(tokens, 'hard'))).toEqual(['compact', 'compact', 'normal'])
  })
})
