/** A record up to this size is kept whole, in bytes. */
const maxRecordBytes = 65_536

/** The most bytes of one string in a record that is larger. */
const maxStringBytes = 8_192

const lineFeed = 10
const quote = 34
const backslash = 92
const letterU = 117

/** One line of JSON, maybe shortened. */
export interface JsonRecord {
  readonly text: string
  /** The record was too large: strings in it are cut, and its end is missing. */
  readonly isCut: boolean
}

/** Splits a stream of JSON lines. A huge line is shortened while it arrives, so memory stays bounded. */
export class JsonRecordReader {
  #parts: Buffer[] = []
  #size = 0
  #cutter: RecordCutter | undefined

  push(chunk: Buffer): JsonRecord[] {
    const records: JsonRecord[] = []
    for (let at = 0; at < chunk.length; ) {
      const feed = chunk.indexOf(lineFeed, at)
      this.#take(chunk.subarray(at, feed === -1 ? chunk.length : feed))
      if (feed === -1) break
      records.push(this.#endRecord())
      at = feed + 1
    }
    return records
  }

  #take(part: Buffer): void {
    if (this.#cutter === undefined && this.#size + part.length > maxRecordBytes) {
      this.#cutter = new RecordCutter()
      for (const kept of this.#parts) this.#cutter.write(kept)
    }
    if (this.#cutter === undefined) this.#parts.push(part)
    else this.#cutter.write(part)
    this.#size += part.length
  }

  #endRecord(): JsonRecord {
    const isCut = this.#cutter !== undefined
    const text = this.#cutter?.text() ?? Buffer.concat(this.#parts).toString('utf8')
    this.#parts = []
    this.#size = 0
    this.#cutter = undefined
    return { text, isCut }
  }
}

/** Copies JSON with long strings cut, until the copy is as large as a record may be. */
class RecordCutter {
  readonly #copy = Buffer.allocUnsafe(maxRecordBytes)
  #length = 0
  #inString = false
  #stringBytes = 0
  /** How many bytes of an escape are still to come: they stay together. */
  #escape = 0
  #isDropping = false

  write(bytes: Buffer): void {
    if (this.#length === maxRecordBytes) return
    for (const byte of bytes) this.#writeByte(byte)
  }

  text(): string {
    return this.#copy.toString('utf8', 0, this.#length)
  }

  #writeByte(byte: number): void {
    const isContinuation = (byte & 0xc0) === 0x80
    const startsUnit = this.#escape === 0 && !isContinuation
    if (this.#inString && startsUnit) {
      if (byte === quote) this.#inString = this.#isDropping = false
      else if (this.#stringBytes >= maxStringBytes) this.#isDropping = true
    } else if (!this.#inString && byte === quote) {
      this.#inString = true
      this.#stringBytes = 0
    }
    if (this.#inString) this.#stringBytes += 1
    if (!this.#isDropping && this.#length < maxRecordBytes) {
      this.#copy[this.#length] = byte
      this.#length += 1
    }
    if (this.#escape > 0) this.#escape = this.#escape === 1 && byte === letterU ? 4 : this.#escape - 1
    else if (this.#inString && byte === backslash) this.#escape = 1
  }
}
