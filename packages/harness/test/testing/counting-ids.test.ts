import { isUuid } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { countingIds } from '../../src/testing.ts'

describe('countingIds', () => {
  it('makes UUIDs that are the same in every run and never twice', () => {
    const [one, other] = [countingIds(7), countingIds(7)]
    const ids = Array.from({ length: 300 }, () => one.uuid())

    expect(ids.every(isUuid)).toBe(true)
    expect(new Set(ids).size).toBe(300)
    expect(ids).toEqual(Array.from({ length: 300 }, () => other.uuid()))
    expect(ids[255]).toBe('00000007-0000-7000-8000-000000000100')
  })

  it('makes other ids of another seed', () => {
    expect(countingIds(1).uuid()).not.toBe(countingIds(0xffffffff).uuid())
  })

  it.each([-1, 0.5, Number.NaN, 2 ** 32])('refuses %s as a seed', (seed) => {
    expect(() => countingIds(seed)).toThrow(RangeError)
  })
})
