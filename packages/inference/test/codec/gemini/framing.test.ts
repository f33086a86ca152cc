import type { StreamEvent } from '@looprig/core'
import { createGeminiCodec } from '@looprig/inference/gemini'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeEnd } from '../../../src/wire/decode-frames.ts'
import { decodeStream, fixtureNames, fixtureText } from './gemini.ts'

const lineEnds = { LF: '\n', CRLF: '\r\n', CR: '\r' } as const
const matrix = fixtureNames.flatMap((name) =>
  Object.entries(lineEnds).map(([lineEnd, end]) => ({ name, lineEnd, end })),
)

const bytesOf = (name: string, end: string): Buffer => Buffer.from(fixtureText(`${name}.sse`).replaceAll('\n', end))

/** Feeds pieces of any sizes, as a client does. */
function eventsOf(pieces: readonly Uint8Array[]): StreamEvent[] {
  const codec = createGeminiCodec({ mintId: () => 'minted' })
  const frames = codec.openFrames?.()
  if (frames === undefined || frames instanceof Promise) throw new Error('expected a reader of frames')
  const decoder = codec.openStream((text) => text)
  const events: StreamEvent[] = []
  for (const piece of pieces) for (const frame of frames.push(piece)) decoder.decode(frame, events)
  decodeEnd(frames, decoder, events)
  return events
}

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [...new Set([0, ...places.map((place) => place % (bytes.length + 1)), bytes.length])]
  sorted.sort((a, b) => a - b)
  return sorted.slice(1).map((end, at) => bytes.subarray(sorted[at], end))
}

describe('a Gemini stream in pieces', () => {
  it.each(matrix)('gives the same events for $name with $lineEnd, wherever it is cut', ({ name, end }) => {
    const bytes = bytesOf(name, end)
    const expected = JSON.stringify(eventsOf([bytesOf(name, '\n')]))

    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (places) => {
        expect(JSON.stringify(eventsOf(cut(bytes, places)))).toBe(expected)
      }),
      { numRuns: 40 },
    )
  })

  it.each(fixtureNames)('gives the same message for %s byte by byte', async (name) => {
    const text = fixtureText(`${name}.sse`)

    expect((await decodeStream(text, { chunkBytes: 1 })).response).toEqual((await decodeStream(text)).response)
  })

  it.each(fixtureNames)('takes %s for truncated at every event before its reason', async (name) => {
    const text = fixtureText(`${name}.sse`)
    const frames = text.split('\n').filter((line) => line.startsWith('data:'))
    const end = frames.findIndex((frame) =>
      /"index":0.*"finishReason"|"role":"model"\},"finish|"blockReason"/.test(frame),
    )

    for (const cutAfter of frames.keys()) {
      const { error, response } = await decodeStream(text, { cutAfter })
      expect(error?.code).toBe(cutAfter <= end ? 'truncated' : undefined)
      expect(response.finish === undefined).toBe(cutAfter <= end)
    }
  })
})
