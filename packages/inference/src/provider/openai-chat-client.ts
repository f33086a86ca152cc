import type { StreamEvent } from '@looprig/core'
import type { InferenceClient, InferenceOptions, InferenceStream } from '../client/client.ts'
import { createInferenceStream } from '../client/event-stream.ts'
import type { InferenceRequest } from '../client/request.ts'
import type { InferenceResponse } from '../client/response.ts'
import { decodeErrorResponse } from '../codec/openai-chat/decode-error.ts'
import { decodeChatResponse } from '../codec/openai-chat/decode-response.ts'
import { ChatStreamDecoder } from '../codec/openai-chat/decode-stream.ts'
import { ChatEncoder, type ChatMode } from '../codec/openai-chat/encode-request.ts'
import type { ChatProfile } from '../codec/openai-chat/profile.ts'
import { InferenceError } from '../failure/errors.ts'
import { createRedactor, type Redact } from '../failure/provider-text.ts'
import { readRetryAfterMs, readShouldRetry } from '../retry/retry-after.ts'
import type { ConnectionOptions } from '../transport/dispatcher.ts'
import { endpointUrl, parseBaseUrl } from '../transport/endpoint.ts'
import { requestHeaders } from '../transport/headers.ts'
import type { HttpResponse } from '../transport/http-response.ts'
import { createHttpPost, type HttpPost } from '../transport/http-transport.ts'
import { type ResolvedLimits, resolveLimits, type TransportLimits } from '../transport/limits.ts'
import { SseReader } from '../wire/sse.ts'

/** What a client of a Chat Completions endpoint needs. */
export interface OpenAIChatOptions extends TransportLimits, ConnectionOptions {
  /** The URL above `/chat/completions`, for example `https://api.openai.com/v1`. A query in it is kept. */
  readonly baseUrl: string
  /** Sent as a bearer token; absent for servers that want none. */
  readonly apiKey?: string | undefined
  /** Sent with every request; treated as secret. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Permits plain http to hosts other than this machine. Default: false. */
  readonly allowInsecureHttp?: boolean | undefined
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
  return new OpenAIChatClient(options)
}

class OpenAIChatClient implements InferenceClient {
  readonly #url: URL
  readonly #headers: Record<string, string>
  readonly #limits: ResolvedLimits
  readonly #post: HttpPost
  readonly #encoder: ChatEncoder
  readonly #redact: Redact

  constructor(options: OpenAIChatOptions) {
    this.#url = endpointUrl(parseBaseUrl(options.baseUrl, options.allowInsecureHttp === true), '/chat/completions')
    this.#headers = requestHeaders(options.apiKey, options.headers)
    this.#limits = resolveLimits(options)
    this.#post = createHttpPost(options, this.#limits)
    this.#encoder = new ChatEncoder(options.profile)
    this.#redact = createRedactor(secretsOf(options))
  }

  stream(request: InferenceRequest, { signal }: InferenceOptions = {}): InferenceStream {
    return createInferenceStream((aborted) => this.#streamed(request, aborted), signal)
  }

  invoke(request: InferenceRequest, { signal }: InferenceOptions = {}): Promise<InferenceResponse> {
    return createInferenceStream((aborted) => this.#whole(request, aborted), signal).result()
  }

  async *#streamed(request: InferenceRequest, signal: AbortSignal): AsyncGenerator<StreamEvent, void, undefined> {
    const response = await this.#send(request, 'stream', signal)
    if (contentType(response).startsWith('application/json')) yield* await this.#decodeWhole(response)
    else yield* this.#decodeStream(response)
  }

  async *#whole(request: InferenceRequest, signal: AbortSignal): AsyncGenerator<StreamEvent, void, undefined> {
    yield* await this.#decodeWhole(await this.#send(request, 'whole', signal))
  }

  async #send(request: InferenceRequest, mode: ChatMode, signal: AbortSignal): Promise<HttpResponse> {
    const body = this.#encoder.encode(request, mode)
    const { firstByteTimeoutMs, streamTimeoutMs, invokeTimeoutMs } = this.#limits
    const times =
      mode === 'stream' ? { firstByteTimeoutMs, wholeTimeoutMs: streamTimeoutMs } : { wholeTimeoutMs: invokeTimeoutMs }
    const response = await this.#post({ url: this.#url, headers: this.#headers, body, ...times }, signal)
    if (response.status >= 200 && response.status < 300) return this.#checked(response)
    throw await this.#failure(response)
  }

  /** A web page instead of a response means a wrong address; read as a stream it would only seem cut short. */
  #checked(response: HttpResponse): HttpResponse {
    const type = contentType(response)
    if (!type.includes('html')) return response
    response.close()
    throw new InferenceError('malformed', 'the endpoint answered with a web page: check baseUrl')
  }

  async #failure(response: HttpResponse): Promise<InferenceError> {
    const { status } = response
    if (status < 400) {
      response.close()
      return new InferenceError('invalid_request', `status ${status}: redirects are not followed; check baseUrl`, {
        status,
      })
    }
    const header = (name: string) => response.header(name)
    const retryAfterMs = readRetryAfterMs(header, Date.now())
    const retryable = readShouldRetry(header)
    return decodeErrorResponse(await response.errorText(), { status, retryAfterMs, retryable }, this.#redact)
  }

  async #decodeWhole(response: HttpResponse): Promise<StreamEvent[]> {
    return decodeChatResponse(await response.text(this.#limits.maxResponseBytes), this.#redact)
  }

  async *#decodeStream(response: HttpResponse): AsyncGenerator<StreamEvent, void, undefined> {
    const frames = new SseReader()
    const decoder = new ChatStreamDecoder(this.#redact)
    const events: StreamEvent[] = []
    for await (const bytes of response.chunks(this.#limits.maxStreamBytes)) {
      if (decoder.isDone) continue
      for (const frame of frames.push(bytes)) {
        decoder.decode(frame, events)
        for (const event of events) yield event
        events.length = 0
      }
      if (decoder.isDone) response.linger(leftAfterDoneMs)
      else if (decoder.hasReason) response.linger(leftAfterReasonMs)
    }
    decoder.end(frames.end(), events)
    for (const event of events) yield event
  }
}

/** How long a server may take to end the body after `[DONE]`. */
const leftAfterDoneMs = 250

/** How long usage and `[DONE]` may take after the finish reason, which completes a response by itself. */
const leftAfterReasonMs = 10_000

function contentType(response: HttpResponse): string {
  return response.header('content-type')?.toLowerCase() ?? ''
}

/** Every value that must never be shown; of `Bearer x` the second word too. */
function secretsOf({ apiKey, headers = {} }: OpenAIChatOptions): string[] {
  const secrets = apiKey === undefined ? [] : [apiKey]
  for (const value of Object.values(headers)) {
    for (const word of [value, ...value.split(/\s+/)]) if (word.length >= minHeaderSecret) secrets.push(word)
  }
  return secrets
}

/** Shorter header values are versions and names. */
const minHeaderSecret = 8
