import type { JsonValue, StreamEvent } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import type { Redact } from '../../failure/provider-text.ts'
import type { MintId } from './call-ids.ts'
import { GeminiDecoder, parseChunk } from './decode-stream.ts'

/**
 * Turns a whole response into events: one object, or the list of chunks that a stream is when it is not asked for as
 * server-sent events.
 *
 * @throws InferenceError `truncated` for a list that ends early, or a response without a reason; `malformed` for what is
 *   not of this protocol; what its error object says.
 */
export function decodeGeminiResponse(text: string, redact: Redact, mintId?: MintId): StreamEvent[] {
  const decoder = new GeminiDecoder(redact, mintId)
  const events: StreamEvent[] = []
  decoder.take(parseWhole(text), events)
  decoder.end(events)
  return events
}

/** A list that is no JSON is one that was cut. */
function parseWhole(text: string): JsonValue {
  try {
    return parseChunk(text, 'the response')
  } catch (error) {
    if (!text.trimStart().startsWith('[')) throw error
    throw new InferenceError('truncated', 'the response ended before its end marker')
  }
}
