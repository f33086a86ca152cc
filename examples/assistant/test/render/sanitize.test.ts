import { describe, expect, it } from 'vitest'
import { sanitizeLine, sanitizeText } from '../../src/render/sanitize.ts'

describe('sanitizeText', () => {
  it('leaves text, line ends, tabs and emoji as they are', () => {
    expect(sanitizeText('a\tb\nc 😀 é ع')).toBe('a\tb\nc 😀 é ع')
  })

  it('shows what would begin an escape sequence', () => {
    expect(sanitizeText('\u001b[2J\u001b]0;title\u0007')).toBe('␛[2J␛]0;title␇')
    expect(sanitizeText('\u009b31m\u0085')).toBe('\ufffd31m\ufffd')
    expect(sanitizeText('a\u0000\b\u007f')).toBe('a␀␈␡')
  })

  it('catches a sequence that is cut between two pieces', () => {
    expect(sanitizeText('\u001b') + sanitizeText('[31m')).not.toContain('\u001b')
  })

  it('drops carriage returns, which would write over a line', () => {
    expect(sanitizeText('safe\r\nline\rover')).toBe('safe\nlineover')
  })

  it('marks characters that reorder a line', () => {
    expect(sanitizeText('a\u202eb\u2066c\u2069')).toBe('a\ufffdb\ufffdc\ufffd')
  })

  it('marks half of a surrogate pair', () => {
    expect(sanitizeText('x\ud83d')).toBe('x\ufffd')
  })
})

describe('sanitizeLine', () => {
  it('makes one line', () => {
    expect(sanitizeLine('  a\nerror: b\u2028c\t ')).toBe('a error: b c')
  })

  it('cuts between characters', () => {
    expect(sanitizeLine('😀😀😀😀', 3)).toBe('😀😀…')
    expect(sanitizeLine('😀😀😀', 3)).toBe('😀😀😀')
  })
})
