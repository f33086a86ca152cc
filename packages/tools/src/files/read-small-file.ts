import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { fileError } from './file-error.ts'
import { openRegularFile } from './open-regular-file.ts'

/** A file that was read whole. */
export interface SmallFile {
  readonly bytes: Buffer
  /** Of the file that was open, not of whatever has its name now. */
  readonly stat: Stats
}

/**
 * Reads a whole regular file below a trusted folder, without following any link.
 *
 * @param base - an absolute canonical folder above the file.
 * @param canonical - the file, with every link resolved.
 * @throws ToolError `too_large` when it has more than `maxBytes`, also when it grows meanwhile; else as `openRegularFile`.
 */
export async function readSmallFile(
  base: string,
  canonical: string,
  { display, maxBytes }: { readonly display: string; readonly maxBytes: number },
): Promise<SmallFile> {
  const { handle } = await openRegularFile(base, canonical, display)
  try {
    return { bytes: await readAtMost(handle, maxBytes, display), stat: await handle.stat() }
  } finally {
    await handle.close()
  }
}

/** Reads from the start to the end. @throws ToolError `too_large`, `unreadable` */
export async function readAtMost(handle: FileHandle, maxBytes: number, display: string): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  const { size: expected } = await handle.stat()
  if (expected > maxBytes) throw tooLarge(display, maxBytes)
  for (;;) {
    const part = Buffer.allocUnsafe(Math.max(4_096, Math.min(expected - size + 1, 1_048_576)))
    const { bytesRead } = await handle.read(part, 0, part.length, size).catch((cause: unknown) => {
      throw fileError('unreadable', `could not read: ${display}`, cause)
    })
    if (bytesRead === 0) return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
    size += bytesRead
    if (size > maxBytes) throw tooLarge(display, maxBytes)
    parts.push(part.subarray(0, bytesRead))
  }
}

function tooLarge(display: string, maxBytes: number): Error {
  return fileError('too_large', `${display} has more than ${maxBytes} bytes`)
}
