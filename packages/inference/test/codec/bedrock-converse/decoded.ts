import type { StreamEvent } from '@looprig/core'
import { type DecodedRecording, decodeRecording } from '@looprig/inference/testing'
import { EventStreamCodec } from '@smithy/eventstream-codec'
import { fromUtf8, toUtf8 } from '@smithy/util-utf8'
import { createBedrockCodec } from '../../../src/codec/bedrock-converse/codec.ts'
import { EventStreamReader } from '../../../src/codec/bedrock-converse/event-stream-reader.ts'
import { decodeEnd } from '../../../src/wire/decode-frames.ts'

const codec = createBedrockCodec()
const wire = new EventStreamCodec(toUtf8, fromUtf8)

/** One event: its type and its payload. */
export type WireEvent = readonly [type: string, payload: object]

/** The bytes of one message. */
export function message(headers: Readonly<Record<string, string>>, body: string): Uint8Array {
  const typed = Object.entries(headers).map(([name, value]) => [name, { type: 'string', value }] as const)
  return wire.encode({ headers: Object.fromEntries(typed), body: fromUtf8(body) })
}

export function eventBytes([type, payload]: WireEvent): Uint8Array {
  const headers = { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }
  return message(headers, JSON.stringify({ p: 'abcd', ...payload }))
}

export function exceptionBytes(type: string, said: string): Uint8Array {
  return message({ ':exception-type': type, ':message-type': 'exception' }, JSON.stringify({ message: said }))
}

export function streamOf(...parts: readonly (WireEvent | Uint8Array)[]): Buffer {
  return Buffer.concat(parts.map((part) => (part instanceof Uint8Array ? part : eventBytes(part))))
}

export function decodeStream(bytes: Uint8Array, cutAfter?: number): Promise<DecodedRecording> {
  return decodeRecording(codec, { bytes, form: 'stream' }, { cutAfter })
}

export function decodeEvents(...parts: readonly (WireEvent | Uint8Array)[]): Promise<DecodedRecording> {
  return decodeStream(streamOf(...parts))
}

export function decodeWhole(body: object | string, status = 200): Promise<DecodedRecording> {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return decodeRecording(codec, { bytes, form: 'whole', status })
}

/** The events of a stream that is cut at these places. */
export function eventsInPieces(bytes: Uint8Array, cuts: readonly number[]): StreamEvent[] {
  const frames = new EventStreamReader()
  const decoder = codec.openStream((said) => said)
  const events: StreamEvent[] = []
  const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
  for (const [index, place] of places.entries()) {
    for (const frame of frames.push(bytes.subarray(place, places[index + 1]))) decoder.decode(frame, events)
  }
  decodeEnd(frames, decoder, events)
  return events
}

export const delta = (contentBlockIndex: number, piece: object): WireEvent => [
  'contentBlockDelta',
  { contentBlockIndex, delta: piece },
]
export const text = (index: number, said: string): WireEvent => delta(index, { text: said })
export const startCall = (contentBlockIndex: number, toolUse: object): WireEvent => [
  'contentBlockStart',
  { contentBlockIndex, start: { toolUse } },
]
export const input = (index: number, json: string): WireEvent => delta(index, { toolUse: { input: json } })
export const stop = (contentBlockIndex: number): WireEvent => ['contentBlockStop', { contentBlockIndex }]
export const begin: WireEvent = ['messageStart', { role: 'assistant' }]
export const ended = (stopReason: string): WireEvent => ['messageStop', { stopReason }]
export const usage: WireEvent = [
  'metadata',
  { usage: { inputTokens: 3, outputTokens: 5, cacheReadInputTokens: 100, cacheWriteInputTokens: 7, totalTokens: 115 } },
]

/** A response with everything in it, as its stream and whole. */
export const full = {
  stream: streamOf(
    begin,
    delta(0, { reasoningContent: { text: 'First ' } }),
    delta(0, { reasoningContent: { text: 'a.txt.' } }),
    delta(0, { reasoningContent: { signature: 'SIG/one+==' } }),
    stop(0),
    delta(1, { reasoningContent: { redactedContent: 'RU5DL2FiYw==' } }),
    stop(1),
    text(2, 'Grüße 👋🏽, '),
    text(2, '東京'),
    stop(2),
    startCall(3, { toolUseId: 'tooluse_A', name: 'ReadFile' }),
    input(3, '{"path":'),
    input(3, '"a.txt"}'),
    stop(3),
    startCall(4, { toolUseId: 'srv', name: 'grounding', type: 'server_tool_use' }),
    input(4, '{"query":"x"}'),
    stop(4),
    startCall(5, { toolUseId: 'tooluse_B', name: 'now', type: 'tool_use' }),
    stop(5),
    ended('tool_use'),
    usage,
  ),
  whole: {
    output: {
      message: {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'First a.txt.', signature: 'SIG/one+==' } } },
          { reasoningContent: { redactedContent: 'RU5DL2FiYw==' } },
          { citationsContent: { content: [{ text: 'Grüße 👋🏽, 東京' }], citations: [] } },
          { toolUse: { toolUseId: 'tooluse_A', name: 'ReadFile', input: { path: 'a.txt' } } },
          { toolUse: { toolUseId: 'srv', name: 'grounding', type: 'server_tool_use', input: { query: 'x' } } },
          { toolUse: { toolUseId: 'tooluse_B', name: 'now', input: {} } },
        ],
      },
    },
    stopReason: 'tool_use',
    usage: { inputTokens: 3, outputTokens: 5, cacheReadInputTokens: 100, cacheWriteInputTokens: 7 },
  },
}
