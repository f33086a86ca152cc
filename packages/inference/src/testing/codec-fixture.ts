import assert from 'node:assert/strict'
import type { Accumulated, StreamEvent } from '@looprig/core'
import type { WireCodec } from '../codec/wire-codec.ts'
import { InferenceError } from '../failure/errors.ts'
import { type DecodedRecording, decodeRecording } from './decode-recording.ts'

/** One response in the two forms in which the provider gives it. Write it by hand, in the shape that the provider has. */
export interface CodecFixture {
  readonly name: string
  /** The body of the streamed response; of server-sent events the text will do. */
  readonly stream: string | Uint8Array
  /** The body of the same response, whole; absent where the provider streams only. */
  readonly whole?: string | undefined
}

/** Decodes the stream of a fixture, which must be complete. */
export async function decodeStream(codec: WireCodec, fixture: CodecFixture): Promise<DecodedRecording> {
  return decodeComplete(codec, bytesOf(fixture), 'stream')
}

/** Decodes a body that must be a complete response. */
export async function decodeComplete(
  codec: WireCodec,
  bytes: Uint8Array,
  form: 'stream' | 'whole',
  chunkBytes?: number,
): Promise<DecodedRecording> {
  const decoded = await decodeRecording(codec, { bytes, form }, { chunkBytes })
  if (decoded.error !== undefined) throw decoded.error
  assert.equal(decoded.events.at(-1)?.type, 'finish', 'the last event must be finish')
  return decoded
}

export function bytesOf({ stream }: CodecFixture): Uint8Array {
  return typeof stream === 'string' ? Buffer.from(stream) : stream
}

/** How many frames a stream has: cutting it after that many leaves nothing away. */
export async function frameCount(codec: WireCodec, fixture: CodecFixture): Promise<number> {
  const { events } = await decodeStream(codec, fixture)
  let count = 1
  // a cut that gives every event and an end is a cut after the last frame that matters
  while (count < maxFrames) {
    const cut = await decodeRecording(codec, { bytes: bytesOf(fixture), form: 'stream' }, { cutAfter: count })
    if (cut.error === undefined && cut.events.length === events.length) return count
    count += 1
  }
  return assert.fail(`a fixture may have ${maxFrames} frames at most`)
}

const maxFrames = 500

/** What two decodes of one response must agree on. */
export function outcomeOf({ response, facts }: DecodedRecording): object {
  const { message, toolCalls }: Accumulated = response
  return { blocks: message.blocks, toolCalls, facts }
}

/** Asserts that work fails as inference does, and gives the error. */
export function assertFails(act: () => unknown, codes: readonly string[]): InferenceError {
  try {
    act()
  } catch (error) {
    assert.ok(error instanceof InferenceError, `expected an InferenceError, not ${String(error)}`)
    assert.ok(codes.includes(error.code), `expected ${codes.join(' or ')}, not ${error.code}`)
    return error
  }
  return assert.fail(`expected a failure with ${codes.join(' or ')}`)
}

/** The events of a whole response, for codecs that have such. */
export function wholeEvents(codec: WireCodec, text: string): readonly StreamEvent[] {
  return codec.decodeWhole(text, (said) => said)
}
