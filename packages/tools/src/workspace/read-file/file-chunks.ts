import type { Hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { headBytes } from './file-kind.ts'

const chunkBytes = 256 * 1_024

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * Reads a file from its start. A chunk is valid until the next one is asked for.
 *
 * @param hash - gets all raw bytes that are read.
 * @throws the signal's reason when it is aborted between two reads.
 */
export async function* fileChunks(handle: FileHandle, signal: AbortSignal, hash?: Hash): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, null)
    if (bytesRead === 0) return
    const chunk = buffer.subarray(0, bytesRead)
    hash?.update(chunk)
    yield chunk
  }
}

/** Reads the head of a file without moving its position. */
export async function fileHead(handle: FileHandle): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(headBytes)
  const { bytesRead } = await handle.read(buffer, 0, headBytes, 0)
  return buffer.subarray(0, bytesRead)
}

/** Leaves out the byte order mark at the start, and turns UTF-16 into UTF-8. @throws TypeError for what is not UTF-16 */
export async function* asUtf8(
  chunks: AsyncIterable<Buffer>,
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be',
): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') {
    let isFirst = true
    for await (const chunk of chunks) {
      yield isFirst && chunk.subarray(0, 3).equals(byteOrderMark) ? chunk.subarray(3) : chunk
      isFirst = false
    }
    return
  }
  const decoder = new TextDecoder(encoding, { fatal: true })
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  decoder.decode()
}
