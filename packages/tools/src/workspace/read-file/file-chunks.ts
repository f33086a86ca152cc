import type { FileHandle } from 'node:fs/promises'

const chunkBytes = 256 * 1_024

/** How much of a file decides whether it is binary. */
const sniffedBytes = 8_192

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * Reads a file from its start. A chunk is valid until the next one is asked for.
 *
 * @throws the signal's reason when it is aborted between two reads.
 */
export async function* fileChunks(handle: FileHandle, signal: AbortSignal): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  for (let isFirst = true; ; isFirst = false) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, null)
    if (bytesRead === 0) return
    yield isFirst ? withoutByteOrderMark(buffer.subarray(0, bytesRead)) : buffer.subarray(0, bytesRead)
  }
}

/** Reads the head of a file without moving its position. */
export async function fileHead(handle: FileHandle): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(sniffedBytes)
  const { bytesRead } = await handle.read(buffer, 0, sniffedBytes, 0)
  return buffer.subarray(0, bytesRead)
}

/** The bytes behind a UTF-8 byte order mark, or all. */
function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(byteOrderMark) ? bytes.subarray(3) : bytes
}
