import { SseReader } from '../../wire/sse.ts'
import type { WireCodec } from '../wire-codec.ts'
import { decodeResponsesError } from './decode-error.ts'
import { decodeResponse, factsOfResponse } from './decode-response.ts'
import { ResponsesStreamDecoder } from './decode-stream.ts'
import { ResponsesEncoder } from './encode-request.ts'
import type { ReasoningSummary } from './encode-settings.ts'

/** What the codec of the Responses protocol may be told. */
export interface ResponsesCodecOptions {
  /** How much of its reasoning a thinking model is asked to sum up. Default: `auto` where an effort is set, else `none`. */
  readonly reasoningSummary?: ReasoningSummary | undefined
}

/** The most characters of one event: the last one repeats the whole response, its instructions and tools too. */
const maxEventCharacters = 16 * 1024 * 1024

/** Makes the codec of the Responses protocol. */
export function createResponsesCodec({ reasoningSummary }: ResponsesCodecOptions = {}): WireCodec<'openai-responses'> {
  const encoder = new ResponsesEncoder(reasoningSummary)
  return {
    api: 'openai-responses',
    framing: 'sse',
    encode: (request, mode) => ({ path: '/responses', body: encoder.encode(request, mode) }),
    decodeWhole: decodeResponse,
    wholeFacts: factsOfResponse,
    openStream: (redact) => new ResponsesStreamDecoder(redact),
    openFrames: () => new SseReader(maxEventCharacters),
    decodeError: decodeResponsesError,
  }
}
