import type { StreamEvent } from '@looprig/core'
import type { InferenceClient, InferenceOptions, InferenceStream } from '../client/client.ts'
import { createInferenceStream } from '../client/event-stream.ts'
import type { InferenceRequest } from '../client/request.ts'
import type { InferenceResponse } from '../client/response.ts'
import type { WireCodec, WireMode } from '../codec/wire-codec.ts'
import { InferenceError } from '../failure/errors.ts'
import { optionError } from '../failure/option-error.ts'
import { createRedactor, type Redact } from '../failure/provider-text.ts'
import { readRetryAfterMs, readShouldRetry } from '../retry/retry-after.ts'
import { endpointUrl, parseBaseUrl } from '../transport/endpoint.ts'
import { type KeyHeader, requestHeaders } from '../transport/headers.ts'
import type { HttpResponse } from '../transport/http-response.ts'
import { createHttpPost, type HttpPost } from '../transport/http-transport.ts'
import { type ResolvedLimits, resolveLimits } from '../transport/limits.ts'
import { decodeEnd } from '../wire/decode-frames.ts'
import { SseReader } from '../wire/sse.ts'
import { type EndpointOptions, secretsOf } from './endpoint-options.ts'

/** One request as a signer sees it: complete but for the signature. */
export interface SignableRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a protocol's client is made of besides what its caller gave. */
export interface WireClientParts {
  readonly codec: WireCodec
  /** Where the protocol is served when the caller names no base URL. */
  readonly defaultBaseUrl?: string | undefined
  /** Default: `bearer`. */
  readonly keyHeader?: KeyHeader | undefined
  /** Headers of every request, for example the version of the protocol. A header of the caller outranks them. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** More values that must never be shown, for example those that `sign` holds. */
  readonly secrets?: readonly string[] | undefined
  /** Gives the headers to send instead. Called for every request, right before it is sent; the signal ends that. */
  readonly sign?: ((request: SignableRequest, signal: AbortSignal) => Promise<Record<string, string>>) | undefined
  /** Gives what to send instead, once, where the provider refuses a request for something that it can do without. */
  readonly amend?: ((request: InferenceRequest, error: InferenceError) => InferenceRequest | undefined) | undefined
}

/**
 * Makes the client of a protocol, also of one that is not of this package: transport, time limits, byte caps, redaction
 * and streams are the same for all of them. It retries nothing: see `withRetry`. Prove the codec with `runCodecContract`
 * and the client with `runClientContract`.
 *
 * @throws InferenceError `invalid_options`, naming the option.
 */
export function createWireClient(options: EndpointOptions, parts: WireClientParts): InferenceClient {
  return new WireClient(options, parts)
}

class WireClient implements InferenceClient {
  readonly #base: URL
  readonly #headers: Record<string, string>
  /** The names that no request may change: those that the caller gave, and the key's. */
  readonly #fixed: Readonly<Record<string, string>>
  readonly #limits: ResolvedLimits
  readonly #post: HttpPost
  readonly #parts: WireClientParts
  readonly #redact: Redact

  constructor(options: EndpointOptions, parts: WireClientParts) {
    const baseUrl = options.baseUrl ?? parts.defaultBaseUrl
    if (baseUrl === undefined) throw optionError('baseUrl', 'expected an absolute URL')
    this.#base = parseBaseUrl(baseUrl, options.allowInsecureHttp === true)
    this.#fixed = requestHeaders(options.apiKey, options.headers, parts.keyHeader)
    this.#headers = { ...parts.headers, ...this.#fixed }
    this.#limits = resolveLimits(options)
    this.#post = createHttpPost(options, this.#limits)
    this.#parts = parts
    this.#redact = createRedactor([...secretsOf(options), ...(parts.secrets ?? [])])
  }

  stream(request: InferenceRequest, { signal }: InferenceOptions = {}): InferenceStream {
    return createInferenceStream((aborted) => this.#streamed(request, aborted), signal)
  }

  invoke(request: InferenceRequest, { signal }: InferenceOptions = {}): Promise<InferenceResponse> {
    return createInferenceStream((aborted) => this.#whole(request, aborted), signal).result()
  }

  async *#streamed(request: InferenceRequest, signal: AbortSignal): AsyncGenerator<StreamEvent[], void, undefined> {
    const response = await this.#send(request, 'stream', signal)
    if (contentType(response).startsWith('application/json')) yield await this.#decodeWhole(response)
    else yield* this.#decodeStream(response)
  }

  async *#whole(request: InferenceRequest, signal: AbortSignal): AsyncGenerator<StreamEvent[], void, undefined> {
    yield await this.#decodeWhole(await this.#send(request, 'whole', signal))
  }

  async #send(request: InferenceRequest, mode: WireMode, signal: AbortSignal): Promise<HttpResponse> {
    try {
      return await this.#sendOnce(request, mode, signal)
    } catch (error) {
      const amended = error instanceof InferenceError ? this.#parts.amend?.(request, error) : undefined
      if (amended === undefined) throw error
      return this.#sendOnce(amended, mode, signal)
    }
  }

  async #sendOnce(request: InferenceRequest, mode: WireMode, signal: AbortSignal): Promise<HttpResponse> {
    const { path, body, headers: own } = this.#parts.codec.encode(request, mode)
    const url = endpointUrl(this.#base, path)
    const unsigned = own === undefined ? this.#headers : { ...this.#headers, ...own, ...this.#fixed }
    const headers = (await this.#parts.sign?.({ url, headers: unsigned, body }, signal)) ?? unsigned
    const { firstByteTimeoutMs, streamTimeoutMs, invokeTimeoutMs } = this.#limits
    const times =
      mode === 'stream' ? { firstByteTimeoutMs, wholeTimeoutMs: streamTimeoutMs } : { wholeTimeoutMs: invokeTimeoutMs }
    const response = await this.#post({ url, headers, body, ...times }, signal)
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
    const text = await response.errorText()
    return this.#parts.codec.decodeError(text, { status, retryAfterMs, retryable, header }, this.#redact)
  }

  async #decodeWhole(response: HttpResponse): Promise<StreamEvent[]> {
    return this.#parts.codec.decodeWhole(await response.text(this.#limits.maxResponseBytes), this.#redact)
  }

  /** Gives the events of each piece of the body as one list: that costs a reader less than one by one. */
  async *#decodeStream(response: HttpResponse): AsyncGenerator<StreamEvent[], void, undefined> {
    const { codec } = this.#parts
    const frames = (await codec.openFrames?.()) ?? new SseReader()
    const decoder = codec.openStream(this.#redact)
    for await (const bytes of response.chunks(this.#limits.maxStreamBytes)) {
      if (decoder.isDone) continue
      const events: StreamEvent[] = []
      try {
        for (const frame of frames.push(bytes)) decoder.decode(frame, events)
      } catch (error) {
        yield events // what came before the fault
        throw error
      }
      if (decoder.isDone) response.linger(leftAfterDoneMs)
      else if (decoder.hasReason) response.linger(leftAfterReasonMs)
      if (events.length > 0) yield events
    }
    const last: StreamEvent[] = []
    decodeEnd(frames, decoder, last)
    yield last
  }
}

/** How long a server may take to end the body after its end marker. */
const leftAfterDoneMs = 250

/** How long usage and an end marker may take after the reason, where that completes a response by itself. */
const leftAfterReasonMs = 10_000

function contentType(response: HttpResponse): string {
  return response.header('content-type')?.toLowerCase() ?? ''
}
