import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { webError } from '../codes.ts'

/** A body that is not read, or has nothing in it. */
export const emptyBody = { body: new Uint8Array(), isTruncated: false } as const

/** The encodings that are asked for. */
export const acceptEncoding = 'gzip, deflate, br'

/**
 * The most bytes that come over the wire for a limit of decoded ones: a stream can be endless and decode to nothing.
 */
const maxWireBytes = 33_554_432

/**
 * Reads a body, decompressed, up to a limit. What is held is the limit and one piece: decompression stops where reading
 * does, so a bomb costs no more than its start.
 *
 * @param encoding - the `content-encoding` of the answer.
 * @param onPiece - told of each piece that came over the wire.
 * @throws ToolError `unsupported_encoding`; else what the stream or the decompression throws.
 */
export async function readDecoded(
  source: Readable,
  encoding: string,
  limit: number,
  onPiece: () => void,
): Promise<{ readonly body: Uint8Array; readonly isTruncated: boolean }> {
  const wire = wirePieces(source, onPiece)
  const first = await wire.next()
  if (first.done === true) return emptyBody
  const decoder = createDecoder(encoding, first.value)
  const pieces =
    decoder === undefined ? prepended(first.value, wire) : decompressed(prepended(first.value, wire), decoder)
  const kept: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    kept.push(piece.subarray(0, limit - length))
    length += piece.length
    if (length > limit) return { body: Buffer.concat(kept, limit), isTruncated: true }
  }
  return { body: Buffer.concat(kept, length), isTruncated: false }
}

async function* wirePieces(source: Readable, onPiece: () => void): AsyncGenerator<Uint8Array, undefined> {
  let length = 0
  // proved: a body without an encoding yields buffers
  for await (const piece of source as AsyncIterable<Uint8Array>) {
    onPiece()
    length += piece.length
    if (length > maxWireBytes) throw webError('request_failed', 'the answer is longer than any that is read')
    if (piece.length > 0) yield piece
  }
  return undefined
}

async function* prepended(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}

async function* decompressed(pieces: AsyncIterable<Uint8Array>, decoder: Transform): AsyncGenerator<Uint8Array> {
  const input = Readable.from(pieces)
  // the error reaches whoever reads the decoder
  pipeline(input, decoder, () => undefined)
  try {
    // proved: a decoder yields buffers
    yield* decoder as AsyncIterable<Uint8Array>
  } finally {
    input.destroy()
    decoder.destroy()
  }
}

/** @throws ToolError `unsupported_encoding`, also for more than one layer. */
function createDecoder(encoding: string, first: Uint8Array): Transform | undefined {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return undefined
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'br':
      return createBrotliDecompress()
    case 'deflate':
      // two formats go by this name: with a zlib head, and without
      return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()
    default:
      throw webError('unsupported_encoding', 'the answer is compressed in a way that was not asked for')
  }
}
