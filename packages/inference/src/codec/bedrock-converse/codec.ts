import { unsupported } from '../../failure/unsupported.ts'
import type { CacheLifetime } from '../anthropic-messages/cache-points.ts'
import type { WireCodec } from '../wire-codec.ts'
import { decodeErrorResponse } from './decode-error.ts'
import { decodeResponse } from './decode-response.ts'
import { ConverseStreamDecoder } from './decode-stream.ts'
import { ConverseEncoder } from './encode-request.ts'

/** What the codec of the Converse protocol may be told. */
export interface BedrockCodecOptions {
  /** For models with `promptCaching`. Default: `5m`. */
  readonly cacheLifetime?: CacheLifetime | undefined
}

/** Makes the codec of the AWS Bedrock Converse protocol. */
export function createBedrockCodec(options: BedrockCodecOptions = {}): WireCodec<'bedrock-converse'> {
  const encoder = new ConverseEncoder(options.cacheLifetime ?? '5m')
  return {
    api: 'bedrock-converse',
    framing: 'eventstream',
    encode: (request, mode) => ({
      path: `/model/${modelSegment(request.model.name)}/${mode === 'stream' ? 'converse-stream' : 'converse'}`,
      body: encoder.encode(request),
    }),
    decodeWhole: decodeResponse,
    openStream: (redact) => new ConverseStreamDecoder(redact),
    openFrames: async () => {
      const { EventStreamReader } = await import('./event-stream-reader.ts')
      return new EventStreamReader()
    },
    decodeError: decodeErrorResponse,
  }
}

/** A name, a profile or an ARN as one segment of a path; dots alone would be taken for steps in it. */
function modelSegment(name: string): string {
  if (/^\.*$/.test(name) || !name.isWellFormed())
    throw unsupported('model.name', 'expected the id of a model or profile')
  return encodeURIComponent(name)
}
