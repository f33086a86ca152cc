import type { WireCodec } from '../wire-codec.ts'
import type { CacheLifetime } from './cache-points.ts'
import { decodeErrorResponse } from './decode-error.ts'
import { decodeMessage } from './decode-response.ts'
import { MessageStreamDecoder } from './decode-stream.ts'
import { MessagesEncoder } from './encode-request.ts'

/** What the codec of the Messages protocol may be told. */
export interface AnthropicCodecOptions {
  /** For models with `promptCaching`. Default: `5m`. */
  readonly cacheLifetime?: CacheLifetime | undefined
}

/** Makes the codec of the Anthropic Messages protocol. */
export function createAnthropicCodec(options: AnthropicCodecOptions = {}): WireCodec<'anthropic-messages'> {
  const encoder = new MessagesEncoder(options.cacheLifetime ?? '5m')
  return {
    api: 'anthropic-messages',
    framing: 'sse',
    encode: (request, mode) => ({ path: '/messages', body: encoder.encode(request, mode) }),
    decodeWhole: decodeMessage,
    openStream: (redact) => new MessageStreamDecoder(redact),
    decodeError: decodeErrorResponse,
  }
}
