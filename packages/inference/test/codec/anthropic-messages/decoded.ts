import { readFileSync } from 'node:fs'
import type { StreamEvent } from '@looprig/core'
import { type DecodedRecording, decodeRecording } from '@looprig/inference/testing'
import { createAnthropicCodec } from '../../../src/codec/anthropic-messages/codec.ts'
import { decodeEnd } from '../../../src/wire/decode-frames.ts'
import { SseReader } from '../../../src/wire/sse.ts'

const codec = createAnthropicCodec()

/** The names of the fixtures that are there whole and as a stream. */
export const fixtureNames = ['text', 'thinking-tools', 'server-tools'] as const

export function fixture(file: string): Buffer {
  return readFileSync(new URL(`fixtures/${file}`, import.meta.url))
}

export function decodeStream(bytes: Uint8Array, chunkBytes?: number): Promise<DecodedRecording> {
  return decodeRecording(codec, { bytes, form: 'stream' }, { chunkBytes })
}

/** The events of a stream that is cut at these places. */
export function eventsInPieces(bytes: Uint8Array, cuts: readonly number[]): StreamEvent[] {
  const frames = new SseReader()
  const decoder = codec.openStream((said) => said)
  const events: StreamEvent[] = []
  const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
  for (const [index, place] of places.entries()) {
    for (const frame of frames.push(bytes.subarray(place, places[index + 1]))) decoder.decode(frame, events)
  }
  decodeEnd(frames, decoder, events)
  return events
}

export function decodeWhole(body: string | Uint8Array, status = 200): Promise<DecodedRecording> {
  return decodeRecording(codec, { bytes: Buffer.from(body), form: 'whole', status })
}

/** Decodes a stream of these events. */
export function decodeEvents(...events: readonly object[]): Promise<DecodedRecording> {
  return decodeStream(Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')))
}

export const begin = (id = 'msg_1'): object => ({
  type: 'message_start',
  message: { id, role: 'assistant', model: 'wren-4', content: [], usage: { input_tokens: 4, output_tokens: 1 } },
})

export const startBlock = (index: number, content_block: object): object => ({
  type: 'content_block_start',
  index,
  content_block,
})

export const piece = (index: number, delta: object): object => ({ type: 'content_block_delta', index, delta })
export const text = (index: number, said: string): object => piece(index, { type: 'text_delta', text: said })
export const args = (index: number, json: string): object =>
  piece(index, { type: 'input_json_delta', partial_json: json })
export const stopBlock = (index: number): object => ({ type: 'content_block_stop', index })

export const finish = (stop_reason: string | null, usage: object = { output_tokens: 7 }): readonly object[] => [
  { type: 'message_delta', delta: { stop_reason }, usage },
  { type: 'message_stop' },
]
