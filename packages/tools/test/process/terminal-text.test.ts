import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanTerminalText, TerminalText } from '../../src/process/text/terminal-text.ts'

const clean = (text: string | readonly number[]) =>
  cleanTerminalText(typeof text === 'string' ? Buffer.from(text) : Uint8Array.from(text))

describe('TerminalText', () => {
  it('takes out colours, cursor movements, titles and links, and keeps what they stand around', () => {
    const colour = '\u001b[1;31mred\u001b[0m \u001b[2K\u001b[10;5Hx'
    const title = '\u001b]0;title\u0007a\u001b]8;;http://h/p\u001b\\link\u001b]8;;\u001b\\'
    const other = '\u001bPq#0\u001b\\b\u001b(Bc\u001b=d\u001b_Gdata\u001b\\e'

    expect(clean(colour)).toBe('red x')
    expect(clean(title)).toBe('alink')
    expect(clean(other)).toBe('bcde')
  })

  it('keeps tabs and line ends, and drops every other control character of both sets', () => {
    expect(clean('a\tb\r\nc\u0000\u0007\u0008\u000b\u007fd\u0085\u009be')).toBe('a\tb\r\ncde')
  })

  it('puts U+FFFD for each byte that is no UTF-8', () => {
    expect(clean([0x61, 0xff, 0xe2, 0x82, 0x62])).toBe('a\ufffd\ufffd\ufffdb')
    expect(clean([0xed, 0xa0, 0x80])).toBe('\ufffd\ufffd\ufffd')
    expect(clean([0xc0, 0xaf, 0xf4, 0x90, 0x80, 0x80])).toBe('\ufffd'.repeat(6))
    expect(clean([0x61, 0xe2, 0x82])).toBe('a\ufffd\ufffd')
  })

  it('gives the same whatever the chunks are', () => {
    const part = fc.constantFrom(
      ...['a', 'é', '€', '😀', '\n', '\u001b[31m', '\u001b]0;t\u0007', '\u001b', '[', ']', 'm', '\u001b\\', '\u0007'],
    )
    const bytes = fc.oneof(
      fc.array(part, { maxLength: 30 }).map((parts) => Buffer.from(parts.join(''))),
      fc.uint8Array({ maxLength: 60 }).map((raw) => Buffer.from(raw)),
    )
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(60)), (whole, cuts) => {
        const cleaner = new TerminalText()
        let from = 0
        let text = ''
        for (const cut of [...cuts.filter((at) => at <= whole.length).sort((a, b) => a - b), whole.length]) {
          text += cleaner.push(whole.subarray(from, cut))
          from = cut
        }
        expect(text + cleaner.end()).toBe(cleanTerminalText(whole))
      }),
    )
  })

  it('never gives half of a surrogate pair or a control character', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (raw) => {
        const text = cleanTerminalText(raw)

        expect(text.isWellFormed()).toBe(true)
        expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/)
      }),
    )
  })

  it('gives up a control string that does not end, so that it cannot hide the rest', () => {
    const text = clean(`\u001b]0;${'x'.repeat(10_000)}after`)

    expect(text.endsWith('after')).toBe(true)
    expect(text.length).toBeLessThan(10_000)
  })

  it('lets a line end cut a control sequence off', () => {
    expect(clean('\u001b[12\nnext')).toBe('\nnext')
  })

  it('tells how many bytes are not complete yet', () => {
    const cleaner = new TerminalText()

    expect(cleaner.push(Buffer.from('ab\u001b[3'))).toBe('ab')
    expect(cleaner.pendingBytes).toBe(3)
    expect(cleaner.push(Buffer.from('1mc'))).toBe('c')
    expect(cleaner.pendingBytes).toBe(0)
    cleaner.push(Uint8Array.of(0xf0, 0x9f))
    expect(cleaner.pendingBytes).toBe(2)
  })
})
