import { EventStreamCodec } from '@smithy/eventstream-codec'
import { fromUtf8, toUtf8 } from '@smithy/util-utf8'
import { InferenceError } from '../../failure/errors.ts'
import type { FrameReader } from '../../wire/frame-reader.ts'

type Message = ReturnType<EventStreamCodec['decode']>

/** The most bytes of one message by its specification: payload, headers, and what frames them. */
const maxMessageBytes = 24 * 1024 * 1024 + 128 * 1024 + 16

/** Lengths and checksums alone. */
const minMessageBytes = 16

const lengthBytes = 4

/**
 * Splits the bytes of an `application/vnd.amazon.eventstream` into frames: `{"<event or exception type>": payload}`. The
 * checksums of each message are verified. Loads its library, so it is imported with the first stream.
 */
export class EventStreamReader implements FrameReader {
  readonly #codec = new EventStreamCodec(toUtf8, fromUtf8)
  readonly #length = new Uint8Array(lengthBytes)
  /** The message that is on its way, once its length is known. */
  #message: Uint8Array | undefined
  #filled = 0

  /** A message is whole or nothing. */
  end(): undefined {
    return undefined
  }

  /** @throws InferenceError `malformed` for a wrong checksum or an impossible length, after the frames before it. */
  *push(bytes: Uint8Array): Generator<string, void, undefined> {
    for (let at = 0; at < bytes.length; ) {
      const target = this.#message ?? this.#length
      const taken = Math.min(target.length - this.#filled, bytes.length - at)
      target.set(bytes.subarray(at, at + taken), this.#filled)
      this.#filled += taken
      at += taken
      if (this.#filled < target.length) return
      if (target === this.#length) this.#begin()
      else {
        this.#message = undefined
        this.#filled = 0
        const frame = frameOf(this.#decode(target))
        if (frame !== undefined) yield frame
      }
    }
  }

  #begin(): void {
    const total = new DataView(this.#length.buffer).getUint32(0)
    if (total < minMessageBytes || total > maxMessageBytes) {
      throw new InferenceError('malformed', 'a message of the event stream has an impossible length')
    }
    this.#message = new Uint8Array(total)
    this.#message.set(this.#length)
  }

  #decode(bytes: Uint8Array): Message {
    try {
      return this.#codec.decode(bytes)
    } catch {
      throw new InferenceError('malformed', 'a message of the event stream is damaged')
    }
  }
}

/** `undefined` for a message that does not say what it is. */
function frameOf({ headers, body }: Message): string | undefined {
  const header = (name: string) => {
    const value = headers[name]?.value
    return typeof value === 'string' ? value : undefined
  }
  if (header(':message-type') === 'error') {
    return JSON.stringify({ error: { code: header(':error-code') ?? '', message: header(':error-message') ?? '' } })
  }
  const type = header(':message-type') === 'exception' ? header(':exception-type') : header(':event-type')
  return type === undefined ? undefined : `{${JSON.stringify(type)}:${body.length === 0 ? '{}' : toUtf8(body)}}`
}
