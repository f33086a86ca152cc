import type { InferenceClient } from '../client/client.ts'
import { createResponsesCodec } from '../codec/openai-responses/codec.ts'
import type { ReasoningSummary } from '../codec/openai-responses/encode-settings.ts'
import { responsesFormat } from '../codec/openai-responses/own-state.ts'
import { stateRemover } from '../codec/without-state.ts'
import type { InferenceError } from '../failure/errors.ts'
import type { EndpointOptions } from './endpoint-options.ts'
import { createWireClient } from './wire-client.ts'

/** What a client of a Responses endpoint needs. */
export interface OpenAIResponsesOptions extends EndpointOptions {
  /** The URL above `/responses`. A query in it is kept. Default: `https://api.openai.com/v1`. */
  readonly baseUrl?: string | undefined
  /** Sent as a bearer token, or as `keyHeader` says; absent for servers that want none. */
  readonly apiKey?: string | undefined
  /** The header for the key: `api-key` is what Azure wants. Default: `bearer`. */
  readonly keyHeader?: 'bearer' | 'api-key' | undefined
  /** How much of its reasoning a thinking model is asked to sum up. Default: `auto` where an effort is set, else `none`. */
  readonly reasoningSummary?: ReasoningSummary | undefined
}

/**
 * Makes a client for the Responses protocol: OpenAI, Azure, xAI, OpenRouter, LM Studio and others. Nothing is stored at
 * the provider: reasoning comes encrypted and goes back in its place. Where a provider does not know the reasoning of
 * the history again, the request is sent once more without it. It retries nothing else: see `withRetry`. The messages
 * and tools of a request must not change after it was given.
 *
 * @throws InferenceError `invalid_options`, naming the option.
 */
export function openAIResponsesClient(options: OpenAIResponsesOptions): InferenceClient {
  const { keyHeader, reasoningSummary } = options
  const withoutReasoning = stateRemover(responsesFormat)
  return createWireClient(options, {
    codec: createResponsesCodec({ reasoningSummary }),
    defaultBaseUrl: 'https://api.openai.com/v1',
    keyHeader,
    amend: (request, error) => (isStaleReasoning(error) ? withoutReasoning(request) : undefined),
  })
}

/** Whether a provider refuses a request for the reasoning in it. */
function isStaleReasoning({ status, provider }: InferenceError): boolean {
  if (status !== 400 && status !== 404) return false
  if (provider?.code === 'invalid_encrypted_content') return true
  return /encrypted[ _]content|\brs_|type 'reasoning'/i.test(provider?.message ?? '')
}
