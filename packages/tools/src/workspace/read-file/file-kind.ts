import { isUtf8 } from 'node:buffer'

/** How much of a file decides what it is, in bytes. */
export const headBytes = 8_192

/** A shorter file without NUL is no binary one by its bytes alone: a few odd ones say little. */
const judgedBytes = 512

/** What a file is, by its first bytes. */
export type FileKind =
  | { readonly kind: 'text'; readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' }
  | { readonly kind: 'image'; readonly mediaType: string }
  | { readonly kind: 'binary'; readonly mediaType: string }

const images: readonly (readonly [mediaType: string, RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
]

const others: readonly (readonly [mediaType: string, RegExp])[] = [
  ['application/pdf', /^%PDF-/],
  ['application/zip', /^PK(?:\x03\x04|\x05\x06)/],
  ['application/gzip', /^\x1f\x8b/],
  ['application/x-elf', /^\x7fELF/],
  ['application/vnd.sqlite3', /^SQLite format 3\0/],
]

/**
 * Says what a file is. UTF-16 is told by its byte order mark alone. What is valid UTF-8 without NUL is text, whatever it
 * may look like.
 */
export async function detectKind(head: Buffer): Promise<FileKind> {
  const start = head.toString('latin1', 0, 16)
  const image = images.find(([, magic]) => magic.test(start))
  if (image !== undefined) return { kind: 'image', mediaType: image[0] }
  const other = others.find(([, magic]) => magic.test(start))
  if (other !== undefined) return { kind: 'binary', mediaType: other[0] }
  if (start.startsWith('\xff\xfe') && !start.startsWith('\xff\xfe\0\0')) return { kind: 'text', encoding: 'utf-16le' }
  if (start.startsWith('\xfe\xff')) return { kind: 'text', encoding: 'utf-16be' }
  if (head.includes(0) || (await looksBinary(head))) {
    return { kind: 'binary', mediaType: 'application/octet-stream' }
  }
  return { kind: 'text', encoding: 'utf-8' }
}

async function looksBinary(head: Buffer): Promise<boolean> {
  if (head.length < judgedBytes || isUtf8(wholeCharacters(head))) return false
  const { isBinaryFileSync } = await import('isbinaryfile') // loaded on use: most files are text
  return isBinaryFileSync(head, head.length)
}

/** Without a character that the end of the head may have cut. */
function wholeCharacters(head: Buffer): Buffer {
  if (head.length < headBytes) return head
  let end = head.length
  while (end > head.length - 4 && ((head[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1
  return head.subarray(0, end - 1)
}
