import { type Accumulated, Accumulator, type StreamEvent } from '@looprig/core'
import { toInferenceError } from '../client/event-stream.ts'
import type { ResponseFacts, StreamDecoder, WireCodec } from '../codec/wire-codec.ts'
import { InferenceError } from '../failure/errors.ts'
import { createRedactor } from '../failure/provider-text.ts'
import { decodeEnd } from '../wire/decode-frames.ts'
import { SseReader } from '../wire/sse.ts'

/** The body of one response, as a provider sent it. */
export interface Recording {
  readonly bytes: Uint8Array
  /** Whether it is a stream in the codec's framing, or a whole body. */
  readonly form: 'stream' | 'whole'
  /** The HTTP status. Default: 200. */
  readonly status?: number | undefined
}

/** How a recording is fed to its codec. */
export interface FeedOptions {
  /** Bytes per piece of a stream. Default: all at once. */
  readonly chunkBytes?: number | undefined
  /** Ends a stream after this many frames. */
  readonly cutAfter?: number | undefined
}

/** What a recording came to. */
export interface DecodedRecording {
  /** Every event, also those before a failure. */
  readonly events: readonly StreamEvent[]
  /** The response, as far as it came. */
  readonly response: Accumulated
  /** What is known of the response besides its blocks, also when it failed. */
  readonly facts: ResponseFacts
  /** Why it is no response. */
  readonly error: InferenceError | undefined
}

/** Decodes a recorded response exactly as a client does, without a network. What is not an `InferenceError` is thrown. */
export async function decodeRecording(
  codec: WireCodec,
  recording: Recording,
  options: FeedOptions = {},
): Promise<DecodedRecording> {
  const accumulator = new Accumulator()
  const events: StreamEvent[] = []
  const take = (added: readonly StreamEvent[]) => {
    for (const event of added) {
      accumulator.add(event)
      events.push(event)
    }
  }
  const { bytes, form, status = 200 } = recording
  let decoder: StreamDecoder | undefined
  let error: InferenceError | undefined
  try {
    if (status >= 300) error = codec.decodeError(text(bytes), { status }, redact)
    else if (form === 'whole') take(codec.decodeWhole(text(bytes), redact))
    else {
      decoder = codec.openStream(redact)
      await feed(codec, decoder, piecesOf(bytes, options.chunkBytes), options.cutAfter, take)
    }
  } catch (thrown) {
    const failure = toInferenceError(thrown)
    if (!(failure instanceof InferenceError)) throw failure
    error = failure
  }
  const unfinished = form === 'whole' && error === undefined ? codec.wholeFacts?.(text(bytes)) : decoder?.facts
  return { events, response: accumulator.result(), facts: { ...unfinished, ...factsOf(events) }, error }
}

async function feed(
  codec: WireCodec,
  decoder: StreamDecoder,
  pieces: Iterable<Uint8Array>,
  cutAfter = Number.POSITIVE_INFINITY,
  take: (events: readonly StreamEvent[]) => void,
): Promise<void> {
  const frames = (await codec.openFrames?.()) ?? new SseReader()
  const out: StreamEvent[] = []
  let count = 0
  const flush = () => take(out.splice(0))
  try {
    for (const piece of pieces) {
      for (const frame of frames.push(piece)) {
        if (count >= cutAfter) return decoder.end(out)
        count += 1
        if (!decoder.isDone) decoder.decode(frame, out)
        flush()
      }
    }
    if (count < cutAfter) decodeEnd(frames, decoder, out)
    else decoder.end(out)
  } finally {
    flush()
  }
}

function factsOf(events: readonly StreamEvent[]): ResponseFacts {
  const finish = events.at(-1)
  if (finish?.type !== 'finish') return {}
  const { model, usage, reason, rawReason } = finish
  return { model, usage, reason, rawReason }
}

function* piecesOf(bytes: Uint8Array, size = Math.max(1, bytes.length)): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

const redact = createRedactor([])
