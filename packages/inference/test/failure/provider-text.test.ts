import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../src/failure/provider-text.ts'

describe('createRedactor', () => {
  it('replaces each known secret, the longer one first', () => {
    const redact = createRedactor(['abcdef', 'abcdef-long-form'])

    expect(redact('got abcdef-long-form and abcdef')).toBe('got [redacted] and [redacted]')
  })

  it('takes a secret literally, whatever it is made of', () => {
    const redact = createRedactor(['a.+*$1(b'])

    expect(redact('key a.+*$1(b, not axx')).toBe('key [redacted], not axx')
  })

  it('knows a secret that comes back inside of JSON or of a URL', () => {
    const redact = createRedactor(['pass"word&x'])

    expect(redact('{"k":"pass\\"word&x"}')).toBe('{"k":"[redacted]"}')
    expect(redact('?k=pass%22word%26x')).toBe('?k=[redacted]')
  })

  it('leaves words alone that are too short to be secrets', () => {
    expect(createRedactor(['ok', ''])('ok then')).toBe('ok then')
  })

  it.each([
    ['Incorrect key sk-proj-12345678****abcd.', 'Incorrect key [redacted].'],
    ['header Authorization: Bearer eyJhbGciOi.x.y, bad', 'header Authorization: Bearer [redacted], bad'],
    ['key AIzaSyA1234567890 is bad', 'key [redacted] is bad'],
    ['AKIAIOSFODNN7EXAMPLE denied', '[redacted] denied'],
    ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIifQ.c2ln!', 'token [redacted]!'],
    ['hf_abcdefghijkl and ghp_abcdefghijkl', '[redacted] and [redacted]'],
    ['see https://user:pass@host/path?token=1 now', 'see [url] now'],
    ['\u001b[31mred\u0007\r\nnext\u202etxet', '[31mred next txet'],
  ])('makes %j safe', (text, safe) => {
    expect(createRedactor([])(text)).toBe(safe)
  })

  it('keeps 500 bytes and never half of a character', () => {
    const text = createRedactor([])('👋'.repeat(1000))

    expect(text).toBe('👋'.repeat(125))
  })

  it('keeps nothing of a secret that the cut would go through', () => {
    const redact = createRedactor(['sentinel-0123456789'])

    expect(redact(`${'x'.repeat(490)}sentinel-0123456789`)).not.toContain('sentinel')
  })

  // what backtracks here takes for ever
  it.each(['a.', 'bearer ', 'sk-', 'a:', 'http:/', 'eyJ.', 'AIza '])('reads a text of many %j', (piece) => {
    const redact = createRedactor(['sentinel'])

    expect(redact(piece.repeat(65_536 / piece.length)).length).toBeLessThan(600)
  })
})
