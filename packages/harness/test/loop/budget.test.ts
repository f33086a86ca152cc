import { scriptedClient } from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'
import { defineLoop, type LoopOptions } from '../../src/index.ts'
import { budgetFault, costOf } from '../../src/loop/budget.ts'

const prices = { inputPerMillion: 2, outputPerMillion: 10, currency: 'USD' }
const model = { provider: 'scripted', name: 'm', prices }

function loop(limits: LoopOptions['limits']) {
  return defineLoop({ name: 'main', client: scriptedClient([]), model, limits })
}

describe('costOf', () => {
  it('adds up all parts of a usage', () => {
    const usage = {
      inputTokens: 1_000_000,
      outputTokens: 500_000,
      cacheReadTokens: 2_000_000,
      reasoningTokens: 400_000,
    }

    expect(costOf(usage, { ...prices, cacheReadPerMillion: 0.5 })).toBe(2 + 5 + 1)
  })

  it('charges what has no price of its own as input', () => {
    expect(costOf({ cacheReadTokens: 500_000, cacheCreationTokens: 500_000 }, prices)).toBe(2)
  })

  it('is nothing for what was not reported', () => {
    expect(costOf({}, prices)).toBe(0)
  })
})

describe('a budget', () => {
  it.each([
    [{ inputTokens: 60, outputTokens: 39 }, undefined],
    [{ inputTokens: 60, outputTokens: 40 }, 'budget_exceeded'],
    [{ inputTokens: 1, cacheReadTokens: 99 }, 'budget_exceeded'],
    [{ outputTokens: 1, cacheCreationTokens: 99 }, 'budget_exceeded'],
    // a part of the output, so not counted twice
    [{ inputTokens: 1, outputTokens: 60, reasoningTokens: 60 }, undefined],
  ])('of 100 tokens: %j is %s', (usage, code) => {
    expect(budgetFault(loop({ tokens: 100 }), usage)?.code).toBe(code)
  })

  it.each([
    [{ inputTokens: 100_000, outputTokens: 79_999 }, undefined],
    [{ inputTokens: 100_000, outputTokens: 80_000 }, 'budget_exceeded'],
  ])('of 1 USD: %j is %s', (usage, code) => {
    expect(budgetFault(loop({ cost: 1 }), usage)?.code).toBe(code)
  })

  it('that nobody can keep is used up: no usage, no prices', () => {
    const { limits } = loop({ cost: 1 })

    expect(budgetFault(loop({ tokens: 100 }), {})).toMatchObject({
      code: 'budget_exceeded',
      message: expect.stringMatching(/no usage/),
    })
    expect(budgetFault({ limits, model: { provider: 'p', name: 'm' } }, { inputTokens: 1 })).toMatchObject({
      message: expect.stringMatching(/no prices/),
    })
  })

  it('is none without a limit', () => {
    expect(budgetFault(loop({}), { inputTokens: 1e12 })).toBeUndefined()
  })

  it.each([
    ['limits.tokens', { tokens: 0 }],
    ['limits.tokens', { tokens: 1.5 }],
    ['limits.cost', { cost: 0 }],
    ['limits.cost', { cost: Number.NaN }],
    ['limits.cost', { cost: Number.POSITIVE_INFINITY }],
  ])('refuses %s: %j', (field, limits) => {
    expect(() => loop(limits)).toThrowError(expect.objectContaining({ code: 'definition_invalid', field }))
  })

  it('of money needs prices', () => {
    const define = () =>
      defineLoop({ name: 'main', client: scriptedClient([]), model: { provider: 'p', name: 'm' }, limits: { cost: 1 } })

    expect(define).toThrowError(expect.objectContaining({ field: 'limits.cost' }))
  })
})
