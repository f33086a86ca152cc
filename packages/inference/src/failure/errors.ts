import { LooprigError } from '@looprig/core'

/**
 * Why there is no response.
 *
 * Of the provider: `auth` (401, 403), `rate_limited` (429), `overloaded` (503, 529), `server_error` (other 5xx),
 * `quota` (money or credits are used up), `context_overflow` (the request is longer than the model's window),
 * `refused` (a content policy turned the request down; a model that declines by itself gives a response instead),
 * `invalid_request` (other 4xx), `not_found` (unknown model or path), `malformed` (a response that is not of the
 * protocol), `truncated` (it ended before its end marker), `response_too_large` (past the byte cap).
 * Of the way there: `network`, `timeout`, `aborted` (the caller's signal).
 * Of the request: `unsupported` (the model or protocol cannot express it), `stream_consumed` (iterated twice).
 * Of the client: `invalid_options` (its factory was given an option that it cannot use).
 * Of the scripted client: `script_exhausted`. Of the replay client: `not_recorded`.
 */
export type InferenceErrorCode =
  | 'auth'
  | 'rate_limited'
  | 'overloaded'
  | 'server_error'
  | 'quota'
  | 'context_overflow'
  | 'refused'
  | 'invalid_request'
  | 'not_found'
  | 'malformed'
  | 'truncated'
  | 'response_too_large'
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'unsupported'
  | 'stream_consumed'
  | 'invalid_options'
  | 'script_exhausted'
  | 'not_recorded'

/** Every code, for those who read one from outside. */
export const inferenceErrorCodes: readonly InferenceErrorCode[] = Object.keys({
  auth: 0,
  rate_limited: 0,
  overloaded: 0,
  server_error: 0,
  quota: 0,
  context_overflow: 0,
  refused: 0,
  invalid_request: 0,
  not_found: 0,
  malformed: 0,
  truncated: 0,
  response_too_large: 0,
  network: 0,
  timeout: 0,
  aborted: 0,
  unsupported: 0,
  stream_consumed: 0,
  invalid_options: 0,
  script_exhausted: 0,
  not_recorded: 0,
} satisfies Record<InferenceErrorCode, 0>) as InferenceErrorCode[]

const retryableCodes: ReadonlySet<InferenceErrorCode> = new Set([
  'rate_limited',
  'overloaded',
  'server_error',
  'network',
  'timeout',
  'truncated',
])

/** What a provider itself calls a failure: its own words, bounded and redacted. */
export interface ProviderWords {
  readonly type?: string
  readonly code?: string | number
  readonly message?: string
}

/** What an `InferenceError` may carry besides its code. */
export interface InferenceErrorOptions extends ErrorOptions {
  readonly status?: number | undefined
  readonly retryAfterMs?: number | undefined
  /** Overrides what the code says, for example for a certificate error, which is `network` but not retryable. */
  readonly retryable?: boolean | undefined
  readonly provider?: ProviderWords | undefined
  /** How often the request was sent, where a retry gave up on it. */
  readonly attempts?: number | undefined
}

/** The one error of clients and codecs. Its message holds at most a bounded, redacted excerpt of provider text. */
export class InferenceError extends LooprigError {
  override readonly name = 'InferenceError'
  readonly code: InferenceErrorCode
  /** Whether the same request may succeed later. A request is sent again only before its first content event. */
  readonly retryable: boolean
  /** How long the provider asked to wait. */
  readonly retryAfterMs: number | undefined
  /** The HTTP status, where there was one. */
  readonly status: number | undefined
  /** What the provider said, where it reported the failure. */
  readonly provider: ProviderWords | undefined
  /** How often the request was sent before `withRetry` gave up; the last failure is the `cause`. Else absent. */
  readonly attempts: number | undefined

  constructor(code: InferenceErrorCode, message: string, options: InferenceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retryable = options.retryable ?? retryableCodes.has(code)
    this.retryAfterMs = options.retryAfterMs
    this.status = options.status
    this.provider = options.provider
    this.attempts = options.attempts
  }
}
