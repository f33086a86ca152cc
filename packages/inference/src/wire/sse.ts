import { StringDecoder } from 'node:string_decoder'
import { createParser, type EventSourceParser } from 'eventsource-parser'
import { InferenceError } from '../failure/errors.ts'
import type { FrameReader } from './frame-reader.ts'

/** The most characters that one line or one event may have. */
const defaultMaxEventCharacters = 1024 * 1024

/**
 * Splits the bytes of an event stream into the data of its events: LF, CRLF or CR, characters and line ends cut
 * anywhere, a byte order mark, comments, several data lines, a last event without its blank line. Names, ids and
 * retry hints of events are left out.
 */
export class SseReader implements FrameReader {
  readonly #parser: EventSourceParser
  /** A `TextDecoder` that keeps what is cut takes ten times as long. */
  readonly #decoder = new StringDecoder('utf8')
  readonly #maxCharacters: number
  #frames: string[] = []
  #overflow = false
  #hasText = false

  constructor(maxEventCharacters: number = defaultMaxEventCharacters) {
    this.#maxCharacters = maxEventCharacters
    this.#parser = createParser({
      maxBufferSize: maxEventCharacters,
      onEvent: (event) => this.#take(event.data),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#overflow = true
      },
    })
  }

  /**
   * Gives the events that these bytes complete, those before a fault too.
   *
   * @throws InferenceError `malformed` when a line or an event is longer than the cap, after the events before it.
   */
  push(bytes: Uint8Array): Iterable<string> {
    return this.#feed(this.#decoder.write(bytes))
  }

  /** Gives the event that no blank line closed before the stream ended. It may be cut short. */
  end(): string | undefined {
    for (const frame of this.#feed(`${this.#decoder.end()}\n\n`)) return frame
    return undefined
  }

  #feed(text: string): Iterable<string> {
    if (!this.#overflow && text !== '') this.#parser.feed(this.#withoutMark(text))
    const frames = this.#frames
    this.#frames = []
    return this.#overflow ? this.#thenFail(frames) : frames
  }

  /** A byte order mark is no part of the text. */
  #withoutMark(text: string): string {
    const isFirst = !this.#hasText
    this.#hasText = true
    return isFirst && text.startsWith('\ufeff') ? text.slice(1) : text
  }

  *#thenFail(frames: readonly string[]): Generator<string, void, undefined> {
    yield* frames
    throw new InferenceError('malformed', `an event of the stream has more than ${this.#maxCharacters} characters`)
  }

  #take(data: string): void {
    if (data.length > this.#maxCharacters) this.#overflow = true
    else if (!this.#overflow && data !== '') this.#frames.push(data)
  }
}
