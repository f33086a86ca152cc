import { utf8Length } from './utf8-sequence.ts'

/** The longest control string (a window title, a link) and the longest control sequence that are taken out, in bytes. */
const maxStringBytes = 4_096
const maxSequenceBytes = 256

const escapeByte = 0x1b
const bell = 0x07
const cancel = 0x18
const substitute = 0x1a

/** `string-escape`: an escape inside a control string, which a backslash would end. */
type State = 'ground' | 'escape' | 'sequence' | 'intermediate' | 'string' | 'string-escape'

/**
 * Makes text for a model of what a program wrote for a terminal, chunk by chunk: colours, cursor movements, window titles
 * and control characters are taken out (tab and line ends stay), and each byte that is no UTF-8 becomes U+FFFD. What a
 * chunk cuts in two is taken up with the next.
 *
 * A control string that does not end is given up after 4 KiB, so that no program can hide the rest of its output.
 */
export class TerminalText {
  #state: State = 'ground'
  #isOsc = false
  #unitBytes = 0
  #partial: Buffer = Buffer.alloc(0)
  #changed = false

  /** Something was taken out or replaced. */
  get isChanged(): boolean {
    return this.#changed
  }

  /** How many of the last bytes belong to a character or sequence that is not complete. */
  get pendingBytes(): number {
    return this.#state === 'ground' ? this.#partial.length : this.#unitBytes
  }

  push(chunk: Uint8Array): string {
    const bytes = this.#withPartial(chunk)
    const out: string[] = []
    let index = 0
    while (index < bytes.length) {
      index = this.#state === 'ground' ? this.#readGround(bytes, index, out) : this.#readControl(bytes, index)
    }
    return out.join('')
  }

  /** The end: what is not complete is no text. */
  end(): string {
    const rest = '\ufffd'.repeat(this.#partial.length)
    if (this.pendingBytes > 0) this.#changed = true
    this.#partial = Buffer.alloc(0)
    this.#toGround()
    return rest
  }

  #withPartial(chunk: Uint8Array): Buffer {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    if (this.#partial.length === 0) return bytes
    const joined = Buffer.concat([this.#partial, bytes])
    this.#partial = Buffer.alloc(0)
    return joined
  }

  /** Takes the longest run of text, then what ends it. */
  #readGround(bytes: Buffer, from: number, out: string[]): number {
    let index = from
    let length = 1
    while (index < bytes.length) {
      length = textLength(bytes, index)
      if (length <= 0) break
      index += length
    }
    if (index > from) out.push(bytes.toString('utf8', from, index))
    if (index >= bytes.length) return index
    if (length === 0) {
      this.#partial = Buffer.from(bytes.subarray(index))
      return bytes.length
    }
    this.#changed = true
    return index + this.#readOther(bytes, index, out)
  }

  /** One thing that is no text; tells how many bytes it takes. */
  #readOther(bytes: Buffer, index: number, out: string[]): number {
    const byte = bytes[index] ?? 0
    if (byte === escapeByte) {
      this.#state = 'escape'
      this.#unitBytes = 1
      return 1
    }
    if (byte < 0x80) return 1
    if (utf8Length(bytes, index) === 2) return 2 // a control character of the second set
    out.push('\ufffd')
    return 1
  }

  #readControl(bytes: Buffer, index: number): number {
    const byte = bytes[index] ?? 0
    switch (this.#state) {
      case 'escape':
        return this.#readAfterEscape(byte, index)
      case 'sequence':
        return this.#readSequence(byte, index, 0x40)
      case 'intermediate':
        return this.#readSequence(byte, index, 0x30)
      default:
        return this.#readString(byte, index)
    }
  }

  #readAfterEscape(byte: number, index: number): number {
    if (byte === 0x5b) return this.#go('sequence', index)
    if (byte === 0x5d || byte === 0x50 || byte === 0x58 || byte === 0x5e || byte === 0x5f) {
      this.#isOsc = byte === 0x5d
      return this.#go('string', index)
    }
    if (byte >= 0x20 && byte <= 0x2f) return this.#go('intermediate', index)
    if (byte < 0x20 || byte > 0x7e) return this.#giveUp(index)
    this.#toGround()
    return index + 1
  }

  /** Up to a final byte of at least `firstFinal`; anything that cannot be part of it ends it unfinished. */
  #readSequence(byte: number, index: number, firstFinal: number): number {
    const isOver = byte < 0x20 || byte > 0x7e || this.#unitBytes >= maxSequenceBytes
    if (isOver) return this.#giveUp(index)
    if (byte < firstFinal) return this.#go(this.#state, index)
    this.#toGround()
    return index + 1
  }

  #readString(byte: number, index: number): number {
    if (this.#state === 'string-escape') {
      if (byte === 0x5c) {
        this.#toGround()
        return index + 1
      }
      this.#state = 'escape' // it begins something else
      this.#unitBytes = 1
      return index
    }
    if (byte === escapeByte) return this.#go('string-escape', index)
    if ((byte === bell && this.#isOsc) || byte === cancel || byte === substitute) {
      this.#toGround()
      return index + 1
    }
    return this.#unitBytes >= maxStringBytes ? this.#giveUp(index) : this.#go('string', index)
  }

  #go(state: State, index: number): number {
    this.#state = state
    this.#unitBytes += 1
    return index + 1
  }

  /** The byte is read again as text. */
  #giveUp(index: number): number {
    this.#toGround()
    return index
  }

  #toGround(): void {
    this.#state = 'ground'
    this.#unitBytes = 0
  }
}

/** Makes text of all that there is. */
export function cleanTerminalText(bytes: Uint8Array): string {
  const text = new TerminalText()
  return text.push(bytes) + text.end()
}

/** The length of the character at an index; 0: cut off; -1: it is no text. */
function textLength(bytes: Buffer, index: number): number {
  const byte = bytes[index] ?? 0
  if (byte < 0x20) return byte === 0x09 || byte === 0x0a || byte === 0x0d ? 1 : -1
  if (byte < 0x7f) return 1
  if (byte === 0x7f) return -1
  const length = utf8Length(bytes, index)
  return byte === 0xc2 && length === 2 && (bytes[index + 1] ?? 0) < 0xa0 ? -1 : length
}
