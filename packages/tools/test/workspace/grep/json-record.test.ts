import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type JsonRecord, JsonRecordReader } from '../../../src/workspace/grep/json-record.ts'
import { readRipgrepRecord } from '../../../src/workspace/grep/ripgrep-record.ts'

function readInPieces(bytes: Buffer, size: number): JsonRecord[] {
  const reader = new JsonRecordReader()
  const records: JsonRecord[] = []
  for (let at = 0; at < bytes.length; at += size) records.push(...reader.push(bytes.subarray(at, at + size)))
  return records
}

/** A record as ripgrep writes it for one line. */
function matchRecord(text: string, start: number, path = '/ws/a'): string {
  const submatch = { match: { text: text.slice(start, start + 20_000) }, start, end: start + 1 }
  const data = {
    path: { text: path },
    lines: { text },
    line_number: 7,
    absolute_offset: 9,
    submatches: [submatch, submatch],
  }
  return `${JSON.stringify({ type: 'match', data })}\n`
}

describe('JsonRecordReader', () => {
  it('gives the same records however the stream is cut', () => {
    const lines = fc.array(fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)))
    const property = fc.property(lines, fc.integer({ min: 1, max: 9 }), (texts, size) => {
      const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''))

      expect(readInPieces(bytes, size)).toEqual(texts.map((text) => ({ text, isCut: false })))
    })

    fc.assert(property, { numRuns: 100 })
  })

  it.each(['x', '"', '\\', '\u0001', 'é', '😀', '\\"'])(
    'shortens a huge record full of %j to one that can be read',
    (unit) => {
      const bytes = Buffer.from(matchRecord(unit.repeat(100_000), 90_000))

      for (const size of [1_000, 65_536, 7_777, 1_000_000]) {
        const [record] = readInPieces(bytes, size)
        expect(record?.isCut).toBe(true)
        expect(record?.text.length).toBeLessThanOrEqual(65_536)
        expect(readRipgrepRecord(record as JsonRecord)).toMatchObject({
          ...{ type: 'match', path: '/ws/a', line: 7, offset: 9, matchStart: 90_000, isCut: true },
        })
      }
    },
  )

  it('goes on with the next record behind a huge one', () => {
    const bytes = Buffer.from(`${matchRecord('y'.repeat(200_000), 0)}${matchRecord('short', 1)}`)

    expect(readInPieces(bytes, 10_000).map(({ isCut }) => isCut)).toEqual([true, false])
  })
})
