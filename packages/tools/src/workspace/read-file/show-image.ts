import { createHash } from 'node:crypto'
import { type Block, mediaBlock, textBlock } from '@looprig/core'
import type { OpenFile } from '../../files/open-regular-file.ts'
import { readAtMost } from '../../files/read-small-file.ts'

/** A picture for a model that takes pictures. */
export interface ShownImage {
  readonly content: readonly Block[]
  /** Of all its bytes. */
  readonly hash: string
}

/** Reads a picture whole. @throws ToolError `too_large` when it grows beyond `maxBytes` meanwhile. */
export async function showImage(
  file: OpenFile,
  mediaType: string,
  { display, maxBytes }: { readonly display: string; readonly maxBytes: number },
): Promise<ShownImage> {
  const bytes = await readAtMost(file.handle, maxBytes, display)
  const caption = `${display}: ${mediaType}, ${bytes.length} bytes`
  return {
    content: [textBlock(caption), mediaBlock('image', { mediaType, data: bytes, text: caption })],
    hash: createHash('sha256').update(bytes).digest('hex'),
  }
}
