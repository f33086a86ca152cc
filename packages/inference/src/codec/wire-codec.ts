import type { FinishReason, StreamEvent, Usage } from '@looprig/core'
import type { InferenceRequest } from '../client/request.ts'
import type { InferenceError } from '../failure/errors.ts'
import type { Redact } from '../failure/provider-text.ts'
import type { ReadHeader } from '../retry/retry-after.ts'
import type { FrameReader } from '../wire/frame-reader.ts'

/** Whether the response is asked for as a stream or whole. */
export type WireMode = 'stream' | 'whole'

/** The wire protocols that have a codec here. A codec of somebody else has a name of its own. */
export type WireApi = 'anthropic-messages' | 'openai-chat' | 'openai-responses' | 'gemini' | 'bedrock-converse'

/** How the frames of a stream are told apart: server-sent events, or the binary event stream of AWS. */
export type WireFraming = 'sse' | 'eventstream'

/** One request as it goes on the wire. */
export interface WireRequest {
  /** Below the base URL, with a query if the protocol has one, for example `/v1/messages`. */
  readonly path: string
  /** JSON text. */
  readonly body: string
  /** Headers that the request itself needs; never secrets. A header that the client was given outranks them. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What the HTTP layer knows of a failed response. */
export interface FailedResponse {
  readonly status: number
  readonly retryAfterMs?: number | undefined
  /** What the server itself says about sending it again. */
  readonly retryable?: boolean | undefined
  /** Reads a header of the response, where a protocol tells the kind of error in one. */
  readonly header?: ReadHeader | undefined
}

/** What the frames so far say of a response as a whole; a report of a failure shows it. */
export interface ResponseFacts {
  readonly model?: string | undefined
  readonly usage?: Usage | undefined
  /** Why it ended, and the provider's own word for that; a response may fail after it gave a reason. */
  readonly reason?: FinishReason | undefined
  readonly rawReason?: string | undefined
}

/**
 * Decodes the frames of one streamed response. A frame is the `data` of one server-sent event, or, of a binary stream,
 * `{"<event type>": payload}` as JSON text.
 */
export interface StreamDecoder {
  /** Nothing that follows matters. Later frames are ignored. */
  readonly isDone: boolean
  /** The response is complete by itself, though usage or an end marker may follow. */
  readonly hasReason: boolean
  /** What is known by now, also after a frame that was an error. */
  readonly facts?: ResponseFacts | undefined
  /**
   * Takes the next frame and adds its events to `out`.
   *
   * @throws InferenceError `malformed` for a frame that is not of the protocol; what an error frame says.
   */
  decode(frame: string, out: StreamEvent[]): void
  /**
   * The body ended.
   *
   * @throws InferenceError `truncated` when the response is not complete.
   */
  end(out: StreamEvent[]): void
}

/** A wire protocol: pure translation between the neutral request and response and one provider's format. */
export interface WireCodec<Api extends string = string> {
  /** The name of the protocol. */
  readonly api: Api
  readonly framing: WireFraming
  /**
   * Writes a request. Each message is encoded once and kept for as long as it lives, so it must not change.
   *
   * @throws InferenceError `unsupported`, naming the part that the model or the protocol cannot express.
   */
  encode(request: InferenceRequest, mode: WireMode): WireRequest
  /**
   * Gives the events that the stream of a whole response would have had.
   *
   * @throws InferenceError `malformed` for what is not a response of the protocol; what its error object says.
   */
  decodeWhole(text: string, redact: Redact): StreamEvent[]
  /** What a whole body says of a response that is not over; absent where a protocol has no such thing. */
  readonly wholeFacts?: ((text: string) => ResponseFacts) | undefined
  openStream(redact: Redact): StreamDecoder
  /** Opens the reader of one streamed body; absent for server-sent events. */
  readonly openFrames?: (() => FrameReader | Promise<FrameReader>) | undefined
  /** Makes the error of a response with a status that is not a success. `text` may be anything: cut, HTML, empty. */
  decodeError(text: string, response: FailedResponse, redact: Redact): InferenceError
}
