import { byteLength, headWithin } from '@looprig/core'

/** The most lines of one window. */
const maxLines = 2_000

/** The most bytes shown of one line. */
const maxLineBytes = 16_384

/** How many bytes behind the window are searched for the number of lines. */
const maxCountedBytes = 64 * 1_024 * 1_024

const lineFeed = 10

/** Which lines are wanted, both 1-based and inclusive, and how many bytes may be shown. */
export interface WindowRequest {
  readonly startLine: number
  readonly endLine: number
  readonly maxBytes: number
  /** Read to the end, also when nothing more is to be shown or counted. */
  readonly readAll?: boolean | undefined
}

/** A line that was too long to show whole. */
export interface ClippedLine {
  readonly line: number
  readonly bytes: number
  readonly shownBytes: number
}

/** The lines of a file that fit. */
export interface LineWindow {
  /** Each `<number>\t<text>`. */
  readonly shown: readonly string[]
  readonly clipped: readonly ClippedLine[]
  /** The line to go on with; absent when all that was wanted is shown. */
  readonly nextLine?: number
  /** Lines counted in the file. */
  readonly lineCount: number
  /** The file may have more lines than were counted. */
  readonly countIsPartial: boolean
}

/** A line that is to be shown cannot be: it holds NUL, or bytes that are no UTF-8. */
export class UnshowableLineError extends Error {
  override readonly name = 'UnshowableLineError'
  readonly reason: 'binary' | 'not_utf8'
  readonly line: number

  constructor(reason: 'binary' | 'not_utf8', line: number) {
    super(reason)
    this.reason = reason
    this.line = line
  }
}

/**
 * Collects a window of lines from a file's bytes, in memory bounded by the window.
 *
 * @throws UnshowableLineError
 */
export async function readLineWindow(chunks: AsyncIterable<Buffer>, request: WindowRequest): Promise<LineWindow> {
  const collector = new WindowCollector(request)
  let isWanted = true
  for await (const chunk of chunks) {
    if (isWanted) isWanted = collector.push(chunk)
    if (!isWanted && request.readAll !== true) break
  }
  if (isWanted) collector.finish()
  return collector.window(!isWanted)
}

class WindowCollector {
  readonly #request: WindowRequest
  readonly #shown: string[] = []
  readonly #clipped: ClippedLine[] = []
  #line = 1
  #lineBytes = 0
  #kept: Buffer[] = []
  #keptBytes = 0
  #usedBytes = 0
  #countedBytes = 0
  #phase: 'skip' | 'show' | 'count' | 'done' = 'skip'
  #nextLine: number | undefined

  constructor(request: WindowRequest) {
    this.#request = request
    if (request.startLine === 1) this.#phase = 'show'
  }

  /** Takes the next bytes; false when no more are needed. */
  push(chunk: Buffer): boolean {
    for (let at = this.#passOver(chunk); at < chunk.length && this.#phase !== 'done'; ) {
      const feed = chunk.indexOf(lineFeed, at)
      const end = feed === -1 ? chunk.length : feed
      this.#take(chunk, at, end)
      if (feed !== -1) this.#endLine()
      at = end + 1
    }
    if (this.#phase === 'count') this.#countedBytes += chunk.length
    return this.#phase !== 'done' && this.#countedBytes < maxCountedBytes
  }

  /** Counts the lines that are not shown, which may be millions; gives where the first one to show begins. */
  #passOver(chunk: Buffer): number {
    const until = this.#phase === 'skip' ? this.#request.startLine : Number.POSITIVE_INFINITY
    let at = 0
    if (this.#phase === 'show') return at
    for (let feed = chunk.indexOf(lineFeed); feed !== -1 && this.#line < until; feed = chunk.indexOf(lineFeed, at)) {
      at = feed + 1
      this.#line += 1
      this.#lineBytes = 0
    }
    if (this.#line === until) this.#phase = 'show'
    else {
      this.#lineBytes += chunk.length - at
      at = chunk.length
    }
    return at
  }

  finish(): void {
    if (this.#lineBytes > 0) this.#endLine()
  }

  window(countIsPartial: boolean): LineWindow {
    const lineCount = this.#line - 1
    const next = this.#nextLine
    const more = next !== undefined && (countIsPartial || next <= lineCount)
    return {
      shown: this.#shown,
      clipped: this.#clipped,
      ...(more ? { nextLine: next } : {}),
      lineCount,
      countIsPartial,
    }
  }

  #take(chunk: Buffer, from: number, to: number): void {
    this.#lineBytes += to - from
    if (this.#phase !== 'show') return
    const room = maxLineBytes - this.#keptBytes
    const part = Buffer.from(chunk.subarray(from, Math.min(to, from + room))) // the reader uses its buffer again
    this.#kept.push(part)
    this.#keptBytes += part.length
  }

  #endLine(): void {
    if (this.#phase === 'show') this.#showLine()
    this.#line += 1
    this.#lineBytes = 0
    this.#kept = []
    this.#keptBytes = 0
    if (this.#phase === 'skip' && this.#line === this.#request.startLine) this.#phase = 'show'
    if (this.#phase === 'show' && this.#line > this.#request.endLine) this.#phase = 'done'
  }

  #showLine(): void {
    const prefix = `${String(this.#line).padStart(4)}\t`
    const whole = this.#decode()
    const room = this.#request.maxBytes - this.#usedBytes - prefix.length - 1
    if (this.#shown.length > 0 && byteLength(whole) > room) {
      this.#stopBefore(this.#line)
      return
    }
    const text = headWithin(whole, Math.max(room, 0))
    const shownBytes = byteLength(text)
    if (this.#lineBytes > this.#keptBytes || text !== whole) {
      this.#clipped.push({ line: this.#line, bytes: this.#lineBytes, shownBytes })
    }
    this.#shown.push(prefix + text)
    this.#usedBytes += prefix.length + shownBytes + 1
    if (this.#shown.length === maxLines && this.#line < this.#request.endLine) this.#stopBefore(this.#line + 1)
  }

  #stopBefore(line: number): void {
    this.#phase = 'count'
    this.#nextLine = line
  }

  #decode(): string {
    const bytes = Buffer.concat(this.#kept)
    if (bytes.includes(0)) throw new UnshowableLineError('binary', this.#line)
    const isWhole = this.#lineBytes === bytes.length
    try {
      // a clipped line may end inside a character, which `stream` leaves out
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !isWhole })
      return isWhole && text.endsWith('\r') ? text.slice(0, -1) : text
    } catch {
      throw new UnshowableLineError('not_utf8', this.#line)
    }
  }
}
