import { createHash } from 'node:crypto'

/** How the lines of a text end: all alike, or not. */
export type LineEnds = 'lf' | 'crlf' | 'mixed'

/** What all bytes of a file come to. */
export interface TextFacts {
  /** Lower-case hex SHA-256 of all bytes. */
  readonly hash: string
  /** In bytes. */
  readonly size: number
  /** It starts with the byte order mark of UTF-8. */
  readonly hasMark: boolean
  /** `lf` also when there is no line end. */
  readonly lineEnds: LineEnds
}

const lineFeed = 10
const carriageReturn = 13

/** The byte order mark of UTF-8. */
export const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** Learns the facts of a file from its bytes, in memory that does not grow. */
export class TextFactsCollector {
  readonly #hash = createHash('sha256')
  readonly #head = Buffer.alloc(byteOrderMark.length)
  #size = 0
  #lastByte = 0
  #feeds = 0
  #pairs = 0

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    if (this.#size < this.#head.length) bytes.copy(this.#head, this.#size)
    this.#hash.update(bytes)
    for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) {
      this.#feeds += 1
      if ((at === 0 ? this.#lastByte : bytes[at - 1]) === carriageReturn) this.#pairs += 1
    }
    this.#size += bytes.length
    this.#lastByte = bytes.at(-1) ?? this.#lastByte
  }

  /** Call it once, at the end. */
  facts(): TextFacts {
    const isMixed = this.#pairs !== 0 && this.#pairs !== this.#feeds
    return {
      hash: this.#hash.digest('hex'),
      size: this.#size,
      hasMark: this.#size >= 3 && this.#head.equals(byteOrderMark),
      lineEnds: isMixed ? 'mixed' : this.#pairs > 0 ? 'crlf' : 'lf',
    }
  }
}

/** The facts of bytes that are there. */
export function factsOf(bytes: Uint8Array): TextFacts {
  const collector = new TextFactsCollector()
  collector.push(bytes)
  return collector.facts()
}
