/** What a file holds, as a search sees it. Plain JavaScript, because the worker runs it from the source as well. */

/** How much of a file decides whether it is binary. */
const sniffedBytes = 8_192

/**
 * Turns the bytes of a file, or of its head, into UTF-8 without a byte order mark. UTF-16 is told by its mark.
 *
 * @param {Buffer<ArrayBuffer>} bytes
 * @returns {{bytes: Buffer<ArrayBuffer>, isBinary: boolean}}
 */
export function toSearchable(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { bytes: transcode(bytes, 'utf-16le'), isBinary: false }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { bytes: transcode(bytes, 'utf-16be'), isBinary: false }
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return { bytes: hasMark ? bytes.subarray(3) : bytes, isBinary: bytes.subarray(0, sniffedBytes).includes(0) }
}

/**
 * @param {Buffer<ArrayBuffer>} bytes
 * @param {'utf-16le' | 'utf-16be'} label
 * @returns {Buffer<ArrayBuffer>}
 */
function transcode(bytes, label) {
  return Buffer.from(new TextEncoder().encode(new TextDecoder(label).decode(bytes)).buffer)
}
