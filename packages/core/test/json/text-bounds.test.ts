import { byteLength, headWithin, tailWithin } from '@looprig/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const text = fc.string({ unit: 'binary', maxLength: 30 })
const limit = fc.integer({ min: 0, max: 60 })

describe('byteLength', () => {
  it('counts UTF-8', () => {
    expect(byteLength('aé€👋')).toBe(1 + 2 + 3 + 4)
  })
})

describe('headWithin', () => {
  it('never cuts an emoji in half', () => {
    expect(headWithin('a👋b', 4)).toBe('a')
    expect(headWithin('a👋b', 5)).toBe('a👋')
  })

  it('gives the longest start that fits', () => {
    fc.assert(
      fc.property(text, limit, (whole, max) => {
        const head = headWithin(whole, max)
        const next = whole.slice(head.length)[Symbol.iterator]().next()

        expect(whole.startsWith(head)).toBe(true)
        expect(byteLength(head)).toBeLessThanOrEqual(max)
        if (next.done !== true) expect(byteLength(head + next.value)).toBeGreaterThan(max)
      }),
    )
  })
})

describe('tailWithin', () => {
  it('never cuts an emoji in half', () => {
    expect(tailWithin('a👋b', 4)).toBe('b')
    expect(tailWithin('a👋b', 5)).toBe('👋b')
  })

  it('gives the longest end that fits', () => {
    fc.assert(
      fc.property(text, limit, (whole, max) => {
        const tail = tailWithin(whole, max)
        const before = [...whole.slice(0, whole.length - tail.length)].at(-1)

        expect(whole.endsWith(tail)).toBe(true)
        expect(byteLength(tail)).toBeLessThanOrEqual(max)
        if (before !== undefined) expect(byteLength(before + tail)).toBeGreaterThan(max)
      }),
    )
  })

  it('makes no half of a pair out of a well-formed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), limit, (whole, max) => {
        expect(headWithin(whole, max).isWellFormed()).toBe(true)
        expect(tailWithin(whole, max).isWellFormed()).toBe(true)
      }),
    )
  })
})
