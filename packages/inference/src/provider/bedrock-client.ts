import type { InferenceClient } from '../client/client.ts'
import type { CacheLifetime } from '../codec/anthropic-messages/cache-points.ts'
import { type BedrockCodecOptions, createBedrockCodec } from '../codec/bedrock-converse/codec.ts'
import type { WireCodec } from '../codec/wire-codec.ts'
import { optionError } from '../failure/option-error.ts'
import { type AwsCredentialProvider, type AwsCredentials, CredentialSource } from './bedrock-credentials.ts'
import { bedrockSigner } from './bedrock-signer.ts'
import type { EndpointOptions } from './endpoint-options.ts'
import { createWireClient } from './wire-client.ts'

/** What a client of AWS Bedrock needs: a region, and either `credentials` or `apiKey`. */
export interface BedrockOptions extends EndpointOptions, BedrockCodecOptions {
  /** For example `eu-central-1`. */
  readonly region: string
  /** Signs every request. A function is asked for each, so it can renew what runs out. */
  readonly credentials?: AwsCredentials | AwsCredentialProvider | undefined
  /** A Bedrock API key, sent as a bearer token. */
  readonly apiKey?: string | undefined
  /** The URL above `/model`, for a private endpoint. Default: the public one of the region. */
  readonly baseUrl?: string | undefined
  /**
   * How long the provider keeps what it cached, for models with `promptCaching`; an hour costs more to write. Default:
   * `5m`.
   */
  readonly cacheLifetime?: CacheLifetime | undefined
}

/**
 * Makes a client for the Converse protocol of AWS Bedrock. The name of a model is its id, the id of an inference profile,
 * or an ARN. It retries nothing: see `withRetry`. The messages and tools of a request must not change after it was given.
 *
 * A user message right after tool results is parted from them by a short assistant message, since the provider refuses
 * it otherwise. A response cannot be limited to one call.
 *
 * @throws InferenceError `invalid_options`, naming the option.
 */
export function bedrockClient(options: BedrockOptions): InferenceClient {
  const { region, credentials, apiKey, cacheLifetime } = options
  if (!/^[a-z]{2,}(?:-[a-z]+)+-\d{1,2}$/.test(region)) throw optionError('region', 'expected one such as eu-central-1')
  if ((credentials === undefined) === (apiKey === undefined)) {
    throw optionError('credentials', 'expected either credentials or apiKey')
  }
  const codec = createBedrockCodec({ cacheLifetime })
  const defaultBaseUrl = `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
  if (credentials === undefined) return createWireClient(options, { codec, defaultBaseUrl })
  const source = new CredentialSource(credentials)
  return createWireClient(options, {
    codec: hidingCodec(codec, source),
    defaultBaseUrl,
    sign: bedrockSigner(region, source),
  })
}

/** Errors of AWS may repeat what was signed, and credentials change while the client lives. */
function hidingCodec(codec: WireCodec, source: CredentialSource): WireCodec {
  return {
    ...codec,
    decodeWhole: (text, redact) => codec.decodeWhole(text, source.hiding(redact)),
    openStream: (redact) => codec.openStream(source.hiding(redact)),
    decodeError: (text, response, redact) => codec.decodeError(text, response, source.hiding(redact)),
  }
}
