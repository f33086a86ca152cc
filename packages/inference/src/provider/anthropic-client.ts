import type { InferenceClient } from '../client/client.ts'
import type { CacheLifetime } from '../codec/anthropic-messages/cache-points.ts'
import { type AnthropicCodecOptions, createAnthropicCodec } from '../codec/anthropic-messages/codec.ts'
import { optionError } from '../failure/option-error.ts'
import type { EndpointOptions } from './endpoint-options.ts'
import { createWireClient } from './wire-client.ts'

/** What a client of the Anthropic Messages protocol needs. */
export interface AnthropicOptions extends EndpointOptions, AnthropicCodecOptions {
  /** The URL above `/messages`. Default: `https://api.anthropic.com/v1`. */
  readonly baseUrl?: string | undefined
  /** Sent as `x-api-key`, or as `keyHeader` says. */
  readonly apiKey?: string | undefined
  /** The header for the key: `bearer` for gateways and access tokens. Default: `x-api-key`. */
  readonly keyHeader?: 'x-api-key' | 'bearer' | undefined
  /** Names of beta features to ask for, for example `interleaved-thinking-2025-05-14`. */
  readonly betas?: readonly string[] | undefined
  /**
   * How long the provider keeps what it cached, for models with `promptCaching`; an hour costs more to write. Default:
   * `5m`.
   */
  readonly cacheLifetime?: CacheLifetime | undefined
}

/**
 * Makes a client for the Anthropic Messages protocol. It retries nothing: see `withRetry`. The messages and tools of a
 * request must not change after it was given.
 *
 * A model needs `thinkingDialect` before it can be given an effort. Where the request forces a tool call, and where a
 * model that thinks by budget must go on in the middle of a step that it began without thinking, the request asks for no
 * thinking, since the provider would refuse it. Blocks of the server's own tools are kept opaque and sent back as they
 * came; they are never run.
 *
 * @throws InferenceError `invalid_options`, naming the option.
 */
export function anthropicClient(options: AnthropicOptions): InferenceClient {
  const { betas = [], keyHeader = 'x-api-key', cacheLifetime } = options
  if (!betas.every((beta) => /^[\w.-]+$/.test(beta))) {
    throw optionError('betas', 'expected names of letters, digits, dots and hyphens')
  }
  return createWireClient(options, {
    codec: createAnthropicCodec({ cacheLifetime }),
    defaultBaseUrl: 'https://api.anthropic.com/v1',
    keyHeader,
    headers: {
      'anthropic-version': '2023-06-01',
      ...(betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') }),
    },
  })
}
