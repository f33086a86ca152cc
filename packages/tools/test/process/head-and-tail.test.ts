import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HeadAndTail } from '../../src/process/text/head-and-tail.ts'
import { looksBinary } from '../../src/process/text/looks-binary.ts'

function show(whole: Buffer, chunkBytes = 5_000) {
  const output = new HeadAndTail()
  for (let at = 0; at < whole.length; at += chunkBytes) output.append(whole.subarray(at, at + chunkBytes))
  return output.show()
}

const numbered = (bytes: number) =>
  Buffer.from(Array.from({ length: bytes / 8 }, (_, index) => `${String(index).padStart(7, '0')}\n`).join(''))

describe('HeadAndTail', () => {
  it('shows all of up to 32 KiB', () => {
    const whole = numbered(32_768)

    expect(show(whole)).toEqual({ text: whole.toString(), totalBytes: 32_768, omittedBytes: 0 })
  })

  it('shows the first and the last 16 KiB of more, with the exact count of what is left out', () => {
    const whole = numbered(1_000_000)
    const { text, omittedBytes } = show(whole)

    expect(omittedBytes).toBe(1_000_000 - 32_768)
    expect(text).toBe(
      `${whole.subarray(0, 16_384)}\n[output truncated: omitted 967232 of 1000000 bytes]\n${whole.subarray(-16_384)}`,
    )
  })

  it('keeps both ends for any size and any chunks', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12_000 }), fc.integer({ min: 1, max: 40_000 }), (eights, chunk) => {
        const whole = numbered(eights * 8)
        const { text, omittedBytes } = show(whole, chunk)

        expect(omittedBytes).toBe(Math.max(0, whole.length - 32_768))
        expect(text.startsWith(whole.subarray(0, 16_384).toString())).toBe(true)
        expect(text.endsWith(whole.subarray(-16_384).toString())).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('cuts no character in two and counts what that leaves out', () => {
    const whole = Buffer.from('€'.repeat(40_000)) // 16,384 is no multiple of 3
    const { text, omittedBytes, totalBytes } = show(whole)
    const shown = Buffer.byteLength(text.replaceAll(/\n.*\n/g, ''))

    expect(text).not.toContain('\ufffd')
    expect(omittedBytes + shown).toBe(totalBytes)
  })

  it('begins the tail after an escape sequence that the cut goes through', () => {
    const unit = '\u001b[38;5;196mX\u001b[0m'
    const { text } = show(Buffer.from(unit.repeat(20_000)))

    expect(text.replace(/\n.*\n/, '')).toMatch(/^X+$/)
  })
})

describe('looksBinary', () => {
  it('tells compressed data and NULs from text', () => {
    const random = Uint8Array.from({ length: 4_096 }, (_, index) => (index * 2_654_435_761) >>> 24)

    expect(looksBinary(random)).toBe(true)
    expect(looksBinary(Buffer.from('a\0b'))).toBe(true)
    expect(looksBinary(Buffer.from('plain text, 日本語, é\n'.repeat(100)))).toBe(false)
    expect(looksBinary(Buffer.alloc(0))).toBe(false)
  })
})
