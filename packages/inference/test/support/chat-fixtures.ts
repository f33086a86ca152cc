import { readdirSync, readFileSync } from 'node:fs'
import { type Accumulated, Accumulator, type StreamEvent } from '@looprig/core'
import { decodeChatResponse } from '../../src/codec/openai-chat/decode-response.ts'
import { ChatStreamDecoder } from '../../src/codec/openai-chat/decode-stream.ts'
import { InferenceError, type InferenceErrorCode } from '../../src/failure/errors.ts'
import { createRedactor } from '../../src/failure/provider-text.ts'
import { decodeEnd } from '../../src/wire/decode-frames.ts'
import { SseReader } from '../../src/wire/sse.ts'

/** How a decode went: what came of it, and the error that ended it. */
export interface Outcome {
  readonly response: Accumulated
  readonly error: InferenceErrorCode | undefined
}

const folder = new URL('../fixtures/openai-chat/', import.meta.url)
const redact = createRedactor([])

/** The names of all responses with this ending. */
export function fixtureNames(ending: '.sse' | '.json'): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(ending) && !name.endsWith('.request.json'))
  return names.map((name) => name.slice(0, -ending.length)).sort()
}

export function fixtureText(file: string): string {
  return readFileSync(new URL(file, folder), 'utf8')
}

/** Decodes a stream that came in these pieces. */
export function foldStream(pieces: Iterable<Uint8Array>): Outcome {
  const frames = new SseReader()
  const decoder = new ChatStreamDecoder(redact)
  return fold((take) => {
    const events: StreamEvent[] = []
    for (const piece of pieces) {
      for (const frame of frames.push(piece)) {
        decoder.decode(frame, events)
        take(events.splice(0))
      }
    }
    try {
      decodeEnd(frames, decoder, events)
    } finally {
      take(events)
    }
  })
}

/** Decodes a stream that came at once. */
export function foldText(text: string): Outcome {
  return foldStream([Buffer.from(text)])
}

/** Decodes a whole response. */
export function foldWhole(body: string): Outcome {
  return fold((take) => take(decodeChatResponse(body, redact)))
}

/** Cuts bytes into pieces of one size. */
export function* piecesOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

function fold(run: (take: (events: readonly StreamEvent[]) => void) => void): Outcome {
  const accumulator = new Accumulator()
  let error: InferenceErrorCode | undefined
  try {
    run((events) => {
      for (const event of events) accumulator.add(event)
    })
  } catch (thrown) {
    if (!(thrown instanceof InferenceError)) throw thrown
    error = thrown.code
  }
  return { response: accumulator.result(), error }
}
