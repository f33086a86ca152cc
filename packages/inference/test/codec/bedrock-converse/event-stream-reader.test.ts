import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventStreamReader } from '../../../src/codec/bedrock-converse/event-stream-reader.ts'
import { begin, decodeStream, ended, eventBytes, eventsInPieces, full, message, streamOf, text } from './decoded.ts'

const frames = (bytes: Uint8Array): string[] => [...new EventStreamReader().push(bytes)]

describe('EventStreamReader', () => {
  it('gives the payload of each message under its type', () => {
    expect(frames(streamOf(begin, ended('end_turn')))).toEqual([
      '{"messageStart":{"p":"abcd","role":"assistant"}}',
      '{"messageStop":{"p":"abcd","stopReason":"end_turn"}}',
    ])
  })

  it('takes an empty payload, a type with quotes in it, and a message that says nothing of itself', () => {
    const quoted = message({ ':message-type': 'event', ':event-type': 'a"b' }, '')

    expect(frames(Buffer.concat([quoted, message({}, '{}')]))).toEqual(['{"a\\"b":{}}'])
  })

  it('leads to the same events however the bytes are cut', () => {
    const expected = eventsInPieces(full.stream, [])
    const everyByte = Array.from({ length: full.stream.length }, (_, at) => at)

    expect(eventsInPieces(full.stream, everyByte)).toEqual(expected)
    fc.assert(
      fc.property(fc.array(fc.nat(full.stream.length), { maxLength: 60 }), (cuts) => {
        expect(eventsInPieces(full.stream, cuts)).toEqual(expected)
      }),
      { numRuns: 200 },
    )
  })

  it('leads to a truncated response wherever the bytes end before messageStop', async () => {
    const marker = full.stream.indexOf('stopReason')

    await fc.assert(
      fc.asyncProperty(fc.nat(marker), async (at) => {
        expect((await decodeStream(full.stream.subarray(0, at))).error?.code).toBe('truncated')
      }),
      { numRuns: 150 },
    )
  })

  it('notices any byte that was changed, after the frames before it', async () => {
    const head = eventBytes(text(0, 'Hel'))

    await fc.assert(
      fc.asyncProperty(
        fc.nat(eventBytes(ended('end_turn')).length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, flip) => {
          const tail = Uint8Array.from(eventBytes(ended('end_turn')))
          tail[at] = (tail[at] ?? 0) ^ flip
          const { response, error } = await decodeStream(Buffer.concat([head, tail]))
          expect(response.message.blocks).toEqual([{ type: 'text', text: 'Hel' }])
          // a longer length waits for bytes that do not come
          expect(['malformed', 'truncated']).toContain(error?.code)
        },
      ),
      { numRuns: 200 },
    )
  })

  it.each([0, 15, 25 * 1024 * 1024, 0xffff_ffff])('refuses a message of %i bytes at once', (length) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(length)

    expect(() => frames(bytes)).toThrow(expect.objectContaining({ code: 'malformed' }))
  })
})
