import type { InferenceClient } from '../client/client.ts'
import { createGeminiCodec } from '../codec/gemini/codec.ts'
import type { SafetySetting } from '../codec/gemini/encode-request.ts'
import { geminiFormat } from '../codec/gemini/own-state.ts'
import { stateRemover } from '../codec/without-state.ts'
import type { InferenceError } from '../failure/errors.ts'
import type { EndpointOptions } from './endpoint-options.ts'
import { createWireClient } from './wire-client.ts'

/** What a client of a Gemini endpoint needs. */
export interface GeminiOptions extends EndpointOptions {
  /**
   * The URL above `/models/MODEL:generateContent`; on Vertex AI it ends in `/publishers/google`. A query in it is kept.
   * Default: `https://generativelanguage.googleapis.com/v1beta`.
   */
  readonly baseUrl?: string | undefined
  /** Sent as `x-goog-api-key`, or as `keyHeader` says; absent for servers that want none. */
  readonly apiKey?: string | undefined
  /** The header for the key: `bearer` is what Vertex AI wants for an access token. Default: `x-goog-api-key`. */
  readonly keyHeader?: 'x-goog-api-key' | 'bearer' | undefined
  /** Sent with every request. Default: none, so the provider's own hold. */
  readonly safetySettings?: readonly SafetySetting[] | undefined
}

/**
 * Makes a client for the Gemini protocol. Signatures of thoughts are kept with the part that they came with and sent
 * back unchanged. Where the provider does not know them again, the request is sent once more without them. It retries
 * nothing else: see `withRetry`. The messages and tools of a request must not change after it was given.
 *
 * @throws InferenceError `invalid_options`, naming the option.
 */
export function geminiClient(options: GeminiOptions): InferenceClient {
  const { keyHeader = 'x-goog-api-key', safetySettings } = options
  const withoutSignatures = stateRemover(geminiFormat)
  return createWireClient(options, {
    codec: createGeminiCodec({ safetySettings }),
    defaultBaseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyHeader,
    amend: (request, error) => (isStaleSignature(error) ? withoutSignatures(request) : undefined),
  })
}

/** Whether the provider refuses a request for a signature in it; one that is missing is another matter. */
function isStaleSignature({ status, provider }: InferenceError): boolean {
  return (
    status === 400 &&
    /(?:invalid|corrupted)\s+thought[ _]?signature|thought[ _]?signature is (?:not valid|invalid)/i.test(
      provider?.message ?? '',
    )
  )
}
