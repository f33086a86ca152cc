import { constants } from 'node:fs'
import { type FileHandle, lstat, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { processError } from '../codes.ts'

/** The largest segment. One more than is kept may lie on disk. */
const maxSegmentBytes = 1_048_576
const minSegmentBytes = 4_096

const privateMode = 0o600
const appendFlags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** A stretch of the output in a file of its own, named for where it begins. */
interface Segment {
  readonly start: number
  size: number
}

/** Part of the output. */
export interface SpoolWindow {
  readonly bytes: Buffer
  /** Where the bytes begin: past what was asked for when that is not kept any more. */
  readonly start: number
  readonly isGap: boolean
}

/**
 * The latest output of one process on disk: append-only segments, each in a file `<handle>.<start>.log`, the oldest removed
 * as a whole. The names are the index, so nothing has to be kept in step with anything, and a byte is written once.
 *
 * A write that fails loses its bytes and nothing else: they are counted, and a reader sees a gap.
 */
export class Spool {
  readonly #directory: string
  readonly #handle: string
  readonly #limit: number
  readonly #segmentBytes: number
  readonly #segments: Segment[]
  #open: FileHandle | undefined
  #total: number

  private constructor(directory: string, handle: string, limit: number, segments: Segment[], total: number) {
    this.#directory = directory
    this.#handle = handle
    this.#limit = limit
    this.#segmentBytes = Math.min(maxSegmentBytes, Math.max(minSegmentBytes, Math.ceil(limit / 4)))
    this.#segments = segments
    this.#total = total
  }

  static create(directory: string, handle: string, limit: number): Spool {
    return new Spool(directory, handle, limit, [], 0)
  }

  /**
   * Takes up what an earlier host left, to be read only.
   *
   * @param names - what the folder holds.
   * @param total - how much there was, where that is known.
   * @throws ToolError `spool_corrupt` when the files contradict it or one another.
   */
  static async reopen(
    directory: string,
    handle: string,
    names: readonly string[],
    total: number | undefined,
  ): Promise<Spool> {
    const segments = await findSegments(directory, handle, names)
    let end = 0
    for (const { start, size } of segments) {
      if (start < end) throw processError('spool_corrupt')
      end = start + size
    }
    if (total !== undefined && end > total) throw processError('spool_corrupt')
    return new Spool(directory, handle, Number.MAX_SAFE_INTEGER, segments, total ?? end)
  }

  /** Removes the output of every process that is not among the given ones. */
  static async removeOthers(directory: string, names: readonly string[], handles: ReadonlySet<string>): Promise<void> {
    for (const name of names) {
      const handle = segmentName.exec(name)?.[1]
      if (handle === undefined || handles.has(handle)) continue
      await rm(join(directory, name), { force: true }).catch(() => undefined) // it costs room, and nothing else
    }
  }

  /** All output so far, kept or not, in bytes. */
  get totalBytes(): number {
    return this.#total
  }

  /** What lies on disk, in bytes. */
  get storedBytes(): number {
    return this.#segments.reduce((sum, { size }) => sum + size, 0)
  }

  /** The first byte that can still be read. */
  get retainedFrom(): number {
    return Math.max(this.#segments[0]?.start ?? this.#total, this.#total - this.#limit)
  }

  /** Adds output; one at a time. Never rejects: what cannot be stored is a gap. */
  async append(bytes: Uint8Array): Promise<void> {
    let rest = bytes
    while (rest.length > 0) {
      const part = rest.subarray(0, this.#room())
      try {
        await this.#write(part)
      } catch {
        await this.#seal(true)
      }
      this.#total += part.length
      rest = rest.subarray(part.length)
    }
    await this.#dropOldest()
  }

  /**
   * Reads from a cursor, a position in all output.
   *
   * @throws ToolError `cursor_ahead`, or `spool_corrupt` when a file is not what it was.
   */
  async read(cursor: number, maxBytes: number): Promise<SpoolWindow> {
    const total = this.#total
    if (cursor > total) throw processError('cursor_ahead')
    const from = Math.max(cursor, this.retainedFrom)
    const segment = this.#segments.find(({ start, size }) => start + size > from)
    // at the end there is nothing to read, also while a write is on its way
    if (segment === undefined || from >= total) return { bytes: Buffer.alloc(0), start: total, isGap: cursor < total }
    const start = Math.max(from, segment.start)
    const bytes = await this.#readFrom(start, Math.min(maxBytes, total - start))
    // the oldest may have been removed meanwhile: then there is another oldest
    if (bytes.length === 0 && this.retainedFrom > start) return this.read(cursor, maxBytes)
    if (bytes.length === 0) throw processError('spool_corrupt')
    return { bytes, start, isGap: start > cursor }
  }

  /** No more output comes: what there is goes to disk. */
  async finish(): Promise<void> {
    await this.#open?.sync().catch(() => undefined)
    await this.#seal(false)
  }

  async remove(): Promise<void> {
    await this.#seal(false)
    for (const { start } of this.#segments.splice(0)) await rm(this.#path(start), { force: true })
  }

  /** How much the open segment takes, or a new one. */
  #room(): number {
    const last = this.#segments.at(-1)
    return this.#open === undefined || last === undefined ? this.#segmentBytes : this.#segmentBytes - last.size
  }

  async #write(part: Uint8Array): Promise<void> {
    if (this.#open === undefined) {
      this.#open = await open(this.#path(this.#total), appendFlags, privateMode)
      this.#segments.push({ start: this.#total, size: 0 })
    }
    const segment = this.#segments.at(-1)
    if (segment === undefined) return
    let done = 0
    while (done < part.length) {
      const { bytesWritten } = await this.#open.write(part, done, part.length - done, segment.size + done)
      done += bytesWritten
    }
    segment.size += part.length
    if (segment.size >= this.#segmentBytes) await this.#seal(false)
  }

  /** Closes the open segment; after a failed write, without what was written of it. */
  async #seal(hasFailed: boolean): Promise<void> {
    const file = this.#open
    this.#open = undefined
    const last = this.#segments.at(-1)
    if (hasFailed && file !== undefined && last !== undefined) {
      await file.truncate(last.size).catch(() => undefined)
      if (last.size === 0) {
        this.#segments.pop()
        await rm(this.#path(last.start), { force: true }).catch(() => undefined)
      }
    }
    await file?.close().catch(() => undefined)
  }

  async #dropOldest(): Promise<void> {
    for (;;) {
      const [oldest, next] = this.#segments
      if (oldest === undefined || next === undefined || this.#total - next.start < this.#limit) return
      this.#segments.shift()
      await rm(this.#path(oldest.start), { force: true }).catch(() => undefined)
    }
  }

  /** What is there without a hole, over the ends of segments. */
  async #readFrom(start: number, length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    let at = start
    const end = start + length
    for (const segment of [...this.#segments]) {
      const segmentEnd = segment.start + segment.size
      if (segmentEnd <= at) continue
      if (segment.start > at || at >= end) break
      const part = await this.#readSegment(segment, at - segment.start, Math.min(end, segmentEnd) - at)
      parts.push(part)
      at += part.length
      if (at < Math.min(end, segmentEnd)) break
    }
    return Buffer.concat(parts)
  }

  async #readSegment({ start }: Segment, offset: number, length: number): Promise<Buffer> {
    const file = await open(this.#path(start), readFlags).catch(() => undefined)
    try {
      if (file === undefined || !(await file.stat()).isFile()) return Buffer.alloc(0)
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file?.close()
    }
  }

  #path(start: number): string {
    return join(this.#directory, `${this.#handle}.${start}.log`)
  }
}

const segmentName = /^([A-Za-z0-9_-]{22})\.(0|[1-9]\d{0,15})\.log$/

async function findSegments(directory: string, handle: string, names: readonly string[]): Promise<Segment[]> {
  const segments: Segment[] = []
  for (const name of names) {
    const [, owner, start] = segmentName.exec(name) ?? []
    if (owner !== handle || start === undefined) continue
    const stat = await lstat(join(directory, name))
    if (!stat.isFile()) throw processError('spool_corrupt')
    segments.push({ start: Number(start), size: stat.size })
  }
  return segments.sort((one, other) => one.start - other.start)
}
