import { InferenceError } from '@looprig/inference'
import { describe, expect, it } from 'vitest'
import { SseReader } from '../../src/wire/sse.ts'

function read(text: string, maxEventCharacters?: number): { frames: string[]; tail: string | undefined } {
  const reader = new SseReader(maxEventCharacters)
  const frames = [...reader.push(Buffer.from(text))]
  return { frames, tail: reader.end() }
}

describe('SseReader', () => {
  it('gives the data of each event, with or without a space after the colon', () => {
    expect(read('data: a\n\ndata:b\n\ndata:  c\n\n').frames).toEqual(['a', 'b', ' c'])
  })

  it('joins data lines and leaves names, ids, retry hints, comments and unknown fields out', () => {
    const text = ': hello\nevent: x\nid: 1\nretry: 10\ndata: a\nmystery: 1\ndata: b\n\n'

    expect(read(text).frames).toEqual(['a\nb'])
  })

  it('gives nothing for events without data', () => {
    expect(read('event: ping\n\ndata:\n\n\n\n').frames).toEqual([])
  })

  it('skips a byte order mark, even when it comes in three pieces', () => {
    const reader = new SseReader()
    const bytes = Buffer.from('\ufeffdata: a\n\n')

    const frames = [...bytes].flatMap((byte) => [...reader.push(Uint8Array.of(byte))])

    expect(frames).toEqual(['a'])
  })

  it('gives the event that no blank line closed when the stream ends', () => {
    expect(read('data: a\n\ndata: b')).toEqual({ frames: ['a'], tail: 'b' })
    expect(read('data: a\n\ndata: b\n')).toEqual({ frames: ['a'], tail: 'b' })
    expect(read('data: a\n\n')).toEqual({ frames: ['a'], tail: undefined })
  })

  it('ends a CR stream whose last blank line could have been half of a CRLF', () => {
    expect(read('data: a\r\rdata: b\r\r')).toEqual({ frames: ['a'], tail: 'b' })
  })

  it('puts a character replacement for bytes that are not UTF-8 and goes on', () => {
    const reader = new SseReader()

    const frames = [...reader.push(Buffer.concat([Buffer.from('data: a'), Buffer.from([0xff]), Buffer.from('b\n\n')]))]

    expect(frames).toEqual(['a\ufffdb'])
  })

  it.each([
    ['a line without an end', `data: ok\n\ndata: ${'x'.repeat(40)}`],
    ['a whole event', `data: ok\n\ndata: ${'x'.repeat(40)}\n\ndata: late\n\n`],
    ['many lines of one event', `data: ok\n\n${'data: xxxxx\n'.repeat(12)}`],
  ])('gives what came before %s over the cap, then fails', (_what, text) => {
    const reader = new SseReader(32)
    const frames: string[] = []
    const act = () => {
      for (const frame of reader.push(Buffer.from(text))) frames.push(frame)
    }

    expect(act).toThrow(InferenceError)
    expect(frames).toEqual(['ok'])
    expect(() => [...reader.push(Buffer.from('data: more\n\n'))]).toThrow(InferenceError)
  })
})
