import { deepFreeze, isJsonObject, isJsonValue, maxJsonDepth } from '@looprig/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraries } from '../support/arbitraries.ts'

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)

describe('isJsonObject', () => {
  it.each([
    [{}, true],
    [{ a: 1 }, true],
    [[], false],
    [null, false],
    ['{}', false],
    [undefined, false],
  ])('of %j is %s', (value, expected) => {
    expect(isJsonObject(value)).toBe(expected)
  })
})

describe('isJsonValue', () => {
  it('takes whatever JSON.parse gives', () => {
    fc.assert(fc.property(arbitraries.json, (value) => isJsonValue(value)))
  })

  it.each([
    ['undefined in a list', [undefined]],
    ['a function', { run: () => 1 }],
    ['a date', { at: new Date(0) }],
    ['a map', new Map()],
    ['a number without an end', Number.POSITIVE_INFINITY],
    ['a big integer', 1n],
  ])('refuses %s', (_what, value) => {
    expect(isJsonValue(value)).toBe(false)
  })

  it('takes the deepest nesting that is allowed and refuses one more', () => {
    expect(isJsonValue(nested(maxJsonDepth))).toBe(true)
    expect(isJsonValue(nested(maxJsonDepth + 1))).toBe(false)
  })

  it('refuses a cycle', () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle

    expect(isJsonValue(cycle)).toBe(false)
  })
})

describe('deepFreeze', () => {
  it('freezes every part in place and returns the same object', () => {
    const data = { list: [{ a: 1 }], none: null, text: 'x' }

    const frozen = deepFreeze(data)

    expect(frozen).toBe(data)
    expect(() => Object.assign(data.list[0] ?? {}, { a: 2 })).toThrow(TypeError)
    expect(() => data.list.push({ a: 3 })).toThrow(TypeError)
  })

  it('leaves values that are not objects alone', () => {
    expect(deepFreeze('x')).toBe('x')
    expect(deepFreeze(null)).toBe(null)
  })
})
