import type { InferenceRequest } from '@looprig/inference'

/**
 * Says how long a request is for its model, before it is sent. Yours to give: a provider's counting endpoint, or a
 * tokenizer. Shared by all sessions of a loop.
 */
export interface ContextCounter {
  /**
   * The tokens of system text, messages and tools together. Whatever it throws, and anything but a whole number from
   * 0, keeps the request from being sent (`context_count_failed`).
   *
   * @param options - `signal` aborts when nobody waits for the answer any more.
   */
  count(request: InferenceRequest, options: { readonly signal: AbortSignal }): Promise<number>
  /** It counts as the provider does. One that may be off needs a `safetyMarginTokens` above 0. */
  readonly exact: boolean
}
