import { canonicalJson } from '@looprig/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraries } from '../support/arbitraries.ts'

describe('canonicalJson', () => {
  it('sorts the keys of every object and writes no white space', () => {
    const text = canonicalJson({ b: [{ z: 1, a: null }], a: { d: 'x', c: true } })

    expect(text).toBe('{"a":{"c":true,"d":"x"},"b":[{"a":null,"z":1}]}')
  })

  it('gives equal text for equal data, whatever the order of its keys', () => {
    fc.assert(
      fc.property(arbitraries.jsonObject, (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse())

        expect(canonicalJson(reversed)).toBe(canonicalJson(object))
      }),
    )
  })

  it('writes nothing but the data', () => {
    fc.assert(
      fc.property(arbitraries.json, (value) => {
        const back: unknown = JSON.parse(canonicalJson(value))

        expect(back).toEqual(value)
      }),
    )
  })

  it('keeps a key named __proto__', () => {
    const object = JSON.parse('{"b":1,"__proto__":{"a":2}}')

    expect(canonicalJson(object)).toBe('{"__proto__":{"a":2},"b":1}')
  })
})
