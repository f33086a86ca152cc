import { ContentError, isUuid, parseId, uuidV7 } from '@looprig/core'
import { describe, expect, it } from 'vitest'

describe('uuidV7', () => {
  it('makes a canonical UUID of version 7 and variant 2', () => {
    const id = uuidV7()

    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(isUuid(id)).toBe(true)
  })

  it('begins with the time, so that later ids sort after earlier ones', () => {
    const earlier = uuidV7(1_700_000_000_000)
    const later = uuidV7(1_700_000_000_001)

    expect(earlier.startsWith('018bcfe5-6800-7')).toBe(true)
    expect(earlier < later).toBe(true)
  })

  it('does not repeat itself within a millisecond', () => {
    const ids = Array.from({ length: 1000 }, () => uuidV7(1))

    expect(new Set(ids).size).toBe(1000)
  })
})

describe('isUuid', () => {
  it.each([
    ['0190a1b2-0000-7000-8000-00000000000a', true],
    ['0190A1B2-0000-7000-8000-00000000000A', false],
    ['0190a1b2000070008000000000000000a', false],
    ['0190a1b2-0000-7000-8000-00000000000', false],
    [' 0190a1b2-0000-7000-8000-00000000000a', false],
    ['0190a1b2-0000-7000-8000-00000000000a\n', false],
    ['', false],
  ])('of %j is %s', (text, expected) => {
    expect(isUuid(text)).toBe(expected)
  })
})

describe('parseId', () => {
  it('takes a UUID in any case and gives its canonical form', () => {
    const id = parseId('SessionId', '0190A1B2-0000-7000-8000-00000000000A')

    expect(id).toBe('0190a1b2-0000-7000-8000-00000000000a')
  })

  it('names the kind and never the text that it refuses', () => {
    const act = () => parseId('TurnId', 'sentinel-5d1e')

    expect(act).toThrow(ContentError)
    expect(act).toThrow(expect.objectContaining({ code: 'content_invalid', field: 'TurnId' }))
    expect(act).not.toThrow(/sentinel/)
  })
})
