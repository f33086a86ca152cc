import type { StreamEvent } from '@looprig/core'
import type { StreamDecoder } from '../codec/wire-codec.ts'
import { InferenceError } from '../failure/errors.ts'
import type { FrameReader } from './frame-reader.ts'

/**
 * Decodes what comes when the body has ended: a last frame that was not closed, unless it is cut short, and the end.
 *
 * @throws InferenceError `truncated` when the response is not complete.
 */
export function decodeEnd(frames: FrameReader, decoder: StreamDecoder, out: StreamEvent[]): void {
  const tail = frames.end()
  if (tail !== undefined && !decoder.isDone) decodeTail(tail, decoder, out)
  decoder.end(out)
}

function decodeTail(tail: string, decoder: StreamDecoder, out: StreamEvent[]): void {
  try {
    decoder.decode(tail, out)
  } catch (error) {
    if (!(error instanceof InferenceError) || error.code !== 'malformed') throw error
  }
}
