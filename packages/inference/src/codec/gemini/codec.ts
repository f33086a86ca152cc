import { SseReader } from '../../wire/sse.ts'
import type { WireCodec } from '../wire-codec.ts'
import type { MintId } from './call-ids.ts'
import { decodeGeminiError } from './decode-error.ts'
import { decodeGeminiResponse } from './decode-response.ts'
import { GeminiDecoder } from './decode-stream.ts'
import { GeminiEncoder, type SafetySetting } from './encode-request.ts'

/** What the codec of the Gemini protocol may be told. */
export interface GeminiCodecOptions {
  /** Sent with every request. Default: none, so the provider's own hold. */
  readonly safetySettings?: readonly SafetySetting[] | undefined
  /** Makes the part that the ids of calls share in a response without an id of its own. Default: a random UUID. */
  readonly mintId?: MintId | undefined
}

/** The most characters of one event: it may hold a whole picture. */
const maxEventCharacters = 32 * 1024 * 1024

/** Makes the codec of the Gemini protocol. */
export function createGeminiCodec({ safetySettings = [], mintId }: GeminiCodecOptions = {}): WireCodec<'gemini'> {
  const encoder = new GeminiEncoder(safetySettings)
  return {
    api: 'gemini',
    framing: 'sse',
    encode: (request, mode) => encoder.encode(request, mode),
    decodeWhole: (text, redact) => decodeGeminiResponse(text, redact, mintId),
    openStream: (redact) => new GeminiDecoder(redact, mintId),
    openFrames: () => new SseReader(maxEventCharacters),
    decodeError: decodeGeminiError,
  }
}
