import { describe, expect, it } from 'vitest'
import { readRetryAfterMs, readShouldRetry } from '../../src/retry/retry-after.ts'

const now = Date.parse('Wed, 01 Jan 2025 00:00:00 GMT')
const read = (headers: Record<string, string>): number | undefined => readRetryAfterMs((name) => headers[name], now)

describe('readRetryAfterMs', () => {
  it.each([
    ['2', 2000],
    ['0', 0],
    ['86400', 86_400_000],
    [' 3 ', 3000],
    ['1.5', 1500],
    ['0.0001', 1],
    ['Wed, 01 Jan 2025 00:00:30 GMT', 30_000],
    ['Wednesday, 01-Jan-25 00:00:30 GMT', 30_000],
    ['Wed Jan  1 00:00:30 2025', 30_000],
    ['9'.repeat(30), 100 * 366 * 86_400_000],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 100 * 366 * 86_400_000],
    ['Tue, 31 Dec 2024 23:59:00 GMT', 0],
  ])('reads %j', (value, expected) => {
    expect(read({ 'retry-after': value })).toBe(expected)
  })

  it.each([
    '-1',
    'abc',
    '',
    '1.',
    'Infinity',
    '0x10',
    '1e3',
    '2025-01-01',
    'Wed, 99 Foo 2025 00:00:00 GMT',
    '9'.repeat(401),
  ])('ignores %j', (value) => {
    expect(read({ 'retry-after': value })).toBeUndefined()
  })

  it('prefers milliseconds, and falls back from ones that are none', () => {
    expect(read({ 'retry-after-ms': '1500', 'retry-after': '9' })).toBe(1500)
    expect(read({ 'retry-after-ms': '12.3' })).toBe(13)
    expect(read({ 'retry-after-ms': '-5', 'retry-after': '9' })).toBe(9000)
  })

  it('finds nothing where there is no header', () => {
    expect(read({})).toBeUndefined()
  })
})

describe('readShouldRetry', () => {
  it.each([
    ['true', true],
    ['False', false],
    ['maybe', undefined],
    [undefined, undefined],
  ])('reads %j as %s', (value, expected) => {
    expect(readShouldRetry(() => value)).toBe(expected)
  })
})
