import { cleanTerminalText, TerminalText } from './terminal-text.ts'
import { cutOffBytes, sequenceStart } from './utf8-sequence.ts'

/** What is kept of each end, in bytes. */
const keptBytes = 16_384
/** Kept before the tail, so that it does not begin within an escape sequence: read, and not shown. */
const leadInBytes = 1_024

/** Output as it is shown: all of it, or its two ends with a line that tells what is missing. */
export interface ShownOutput {
  readonly text: string
  readonly totalBytes: number
  readonly omittedBytes: number
}

/** Keeps the first and the last 16 KiB of any amount of output in 33 KiB of memory. */
export class HeadAndTail {
  readonly #head = Buffer.alloc(keptBytes)
  readonly #ring = Buffer.alloc(keptBytes + leadInBytes)
  #total = 0

  get totalBytes(): number {
    return this.#total
  }

  append(bytes: Uint8Array): void {
    const toHead = Math.min(bytes.length, Math.max(0, keptBytes - this.#total))
    if (toHead > 0) this.#head.set(bytes.subarray(0, toHead), this.#total)
    this.#total += toHead
    const rest = bytes.subarray(toHead)
    this.#total += rest.length
    this.#appendRing(rest.subarray(Math.max(0, rest.length - this.#ring.length)))
  }

  /** The bytes at the start, for a look at what they are. */
  get head(): Uint8Array {
    return this.#head.subarray(0, Math.min(this.#total, keptBytes))
  }

  show(): ShownOutput {
    const tail = this.#ringBytes()
    if (this.#total <= 2 * keptBytes) {
      const text = cleanTerminalText(Buffer.concat([this.head, tail]))
      return { text, totalBytes: this.#total, omittedBytes: 0 }
    }
    const head = this.head.subarray(0, keptBytes - cutOffBytes(this.head))
    const tailFrom = sequenceStart(tail, tail.length - keptBytes)
    const omittedBytes = this.#total - head.length - (tail.length - tailFrom)
    const text = new TerminalText()
    text.push(tail.subarray(0, tailFrom))
    const shownTail = text.push(tail.subarray(tailFrom)) + text.end()
    const notice = `[output truncated: omitted ${omittedBytes} of ${this.#total} bytes]`
    return { text: `${cleanTerminalText(head)}\n${notice}\n${shownTail}`, totalBytes: this.#total, omittedBytes }
  }

  /** The end of `bytes` is the end of all; they fit. */
  #appendRing(bytes: Uint8Array): void {
    const size = this.#ring.length
    const start = (((this.#total - keptBytes - bytes.length) % size) + size) % size
    const first = Math.min(bytes.length, size - start)
    this.#ring.set(bytes.subarray(0, first), start)
    this.#ring.set(bytes.subarray(first), 0)
  }

  /** What came after the head, at most as much as the ring holds. */
  #ringBytes(): Buffer {
    const size = this.#ring.length
    const written = Math.max(0, this.#total - keptBytes)
    if (written <= size) return this.#ring.subarray(0, written)
    const start = written % size
    return Buffer.concat([this.#ring.subarray(start), this.#ring.subarray(0, start)])
  }
}
