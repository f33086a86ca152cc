import type { InferenceClient } from '../client/client.ts'
import { createChatCodec } from '../codec/openai-chat/codec.ts'
import type { ChatProfile } from '../codec/openai-chat/profile.ts'
import type { EndpointOptions } from './endpoint-options.ts'
import { createWireClient } from './wire-client.ts'

/** What a client of a Chat Completions endpoint needs. */
export interface OpenAIChatOptions extends EndpointOptions {
  /** The URL above `/chat/completions`, for example `https://api.openai.com/v1`. A query in it is kept. */
  readonly baseUrl: string
  /** Sent as a bearer token, or as `keyHeader` says; absent for servers that want none. */
  readonly apiKey?: string | undefined
  /** The header for the key: `api-key` is what Azure wants. Default: `bearer`. */
  readonly keyHeader?: 'bearer' | 'api-key' | undefined
  /** How the server departs from OpenAI. */
  readonly profile?: ChatProfile | undefined
}

/**
 * Makes a client for the Chat Completions protocol: OpenAI itself, and the many servers that speak it. It retries
 * nothing: see `withRetry`. The messages and tools of a request must not change after it was given.
 *
 * @throws InferenceError `invalid_options`, naming the option.
 */
export function openAIChatClient(options: OpenAIChatOptions): InferenceClient {
  return createWireClient(options, { codec: createChatCodec(options.profile), keyHeader: options.keyHeader })
}
