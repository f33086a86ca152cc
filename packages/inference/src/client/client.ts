import type { StreamEvent } from '@looprig/core'
import type { InferenceRequest } from './request.ts'
import type { InferenceResponse } from './response.ts'

/**
 * One response on its way. Nothing is sent before it is iterated or `result` is called. It is read once: a second
 * iteration throws `InferenceError` with `stream_consumed`. Leaving the loop early aborts the request.
 */
export interface InferenceStream extends AsyncIterable<StreamEvent> {
  /**
   * The whole response; drains the stream when nobody iterated it. May be called more than once.
   *
   * @throws InferenceError the reason why there is none: it was truncated, aborted, refused by the provider, ...
   */
  result(): Promise<InferenceResponse>
}

/** What a call may be given. */
export interface InferenceOptions {
  /** Ends the request; the stream then fails with `aborted`. */
  readonly signal?: AbortSignal | undefined
}

/** Talks to one endpoint. Safe to share between sessions; holds the credentials, which appear nowhere else. */
export interface InferenceClient {
  /** Asks for a response and streams it. Never throws and never rejects by itself: the stream does. */
  stream(request: InferenceRequest, options?: InferenceOptions): InferenceStream
  /** Asks for a whole response. */
  invoke(request: InferenceRequest, options?: InferenceOptions): Promise<InferenceResponse>
}
