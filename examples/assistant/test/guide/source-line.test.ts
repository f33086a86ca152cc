import { describe, expect, it } from 'vitest'
import { cite, citeVerbatim, isNameable, printable } from '../../src/guide/source-line.ts'

describe('printable', () => {
  it('replaces what moves a cursor, hides or turns text', () => {
    expect(printable('a\u001b[2Jb\u202ec\u0000d\u2028e\tf', 80)).toBe('a\ufffd[2Jb\ufffdc\ufffdd\ufffde\tf')
  })

  it('clips without cutting an emoji in half', () => {
    expect(printable('abc😀def', 5)).toBe('abc…')
  })

  it('replaces half an emoji', () => {
    expect(printable('a\ud83db', 80)).toBe('a\ufffdb')
  })
})

describe('cite', () => {
  it('quotes the line without its margins, clipped', () => {
    const row = cite({ path: 'a.ts', line: 3, text: `   x${'y'.repeat(500)}` })

    expect(row).toMatch(/^a\.ts:3 {2}xy{150,158}…$/)
  })
})

describe('citeVerbatim', () => {
  it('keeps the indentation and leaves nothing behind an empty line', () => {
    expect(citeVerbatim({ path: 'a.ts', line: 3, text: '  x  ' })).toBe('a.ts:3    x')
    expect(citeVerbatim({ path: 'a.ts', line: 4, text: '   ' })).toBe('a.ts:4')
  })
})

describe('isNameable', () => {
  it.each([
    ['src/a b.ts', true],
    ['src/ü😀.ts', true],
    ['a\nb', false],
    ['a\u202eb', false],
    ['a'.repeat(201), false],
  ])('tells of %j: %s', (path, expected) => {
    expect(isNameable(path)).toBe(expected)
  })
})
