import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wellFormedJson } from '../../src/wire/well-formed-json.ts'

describe('wellFormedJson', () => {
  it('replaces half of a pair in texts and keys, and keeps whole pairs', () => {
    const json = wellFormedJson({ 'k\ud83d': ['cut \ud83d', 'whole 👋', { deep: '\udc4b' }] })

    expect(JSON.parse(json)).toEqual({ 'k\ufffd': ['cut \ufffd', 'whole 👋', { deep: '\ufffd' }] })
  })

  it('leaves a text alone that only speaks of such an escape', () => {
    const value = { text: 'write \\ud83d in JSON' }

    expect(JSON.parse(wellFormedJson(value))).toEqual(value)
  })

  it('never writes half of a pair and changes nothing else', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary' })),
        fc.string({ unit: fc.nat(0xffff).map((c) => String.fromCharCode(c)) }),
        (texts, odd) => {
          const json = wellFormedJson([...texts, odd])

          expect(JSON.parse(json)).toEqual([...texts, odd].map((text) => text.toWellFormed()))
        },
      ),
    )
  })
})
