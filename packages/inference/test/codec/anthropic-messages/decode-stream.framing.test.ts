import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeStream, eventsInPieces, fixture, fixtureNames } from './decoded.ts'

const lineEnds = { LF: '\n', CRLF: '\r\n', CR: '\r' } as const
const matrix = fixtureNames.flatMap((name) =>
  Object.entries(lineEnds).map(([lineEnd, end]) => ({ name, lineEnd, end })),
)

describe('MessageStreamDecoder behind SseReader', () => {
  it.each(matrix)('decodes $name with $lineEnd into the same events however it is cut', ({ name, end }) => {
    const expected = eventsInPieces(fixture(`${name}.sse`), [])
    const bytes = Buffer.from(fixture(`${name}.sse`).toString().replaceAll('\n', end))
    const everyByte = Array.from({ length: bytes.length }, (_, at) => at)

    expect(eventsInPieces(bytes, everyByte)).toEqual(expected)
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 40 }), (cuts) => {
        expect(eventsInPieces(bytes, cuts)).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })

  it.each(fixtureNames)('takes %s for truncated wherever it is cut before its end marker', async (name) => {
    const bytes = fixture(`${name}.sse`)
    const marker = bytes.lastIndexOf('{"type":"message_stop"}') + '{"type":"message_stop"}'.length

    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length }), async (at) => {
        const { error, response } = await decodeStream(bytes.subarray(0, at))
        expect(error?.code).toBe(at < marker ? 'truncated' : undefined)
        expect(response.finish === undefined).toBe(at < marker)
      }),
      { numRuns: 200, examples: [[0], [marker - 1], [marker], [bytes.length]] },
    )
  })
})
