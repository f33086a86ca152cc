import { classifyFailure } from './classify.ts'
import { InferenceError, type InferenceErrorOptions } from './errors.ts'
import type { Redact } from './provider-text.ts'

/** What a provider says of a failure, as a codec read it from the wire. Nothing in it is safe to show yet. */
export interface ProviderReport {
  readonly type?: string | undefined
  readonly code?: string | number | undefined
  readonly message?: string | undefined
  /** What somebody behind the provider says, where that is passed on beside a message that says little. */
  readonly detail?: string | undefined
  /** The HTTP status, or a status inside the error object of a 200 response. */
  readonly status?: number | undefined
}

/**
 * Makes the error of what a provider reports: its code by the provider's words, its status and its message, and a
 * message with a bounded, redacted excerpt.
 *
 * @param what - begins the message, for example `status 429`.
 * @param response - what the HTTP layer knows; its status is the error's where it has one.
 */
export function providerError(
  what: string,
  report: ProviderReport,
  redact: Redact,
  response: InferenceErrorOptions = {},
): InferenceError {
  const { type, code, message = '', detail = '' } = report
  const status = response.status ?? report.status
  const words = [code, type].filter((word) => typeof word === 'string')
  const whole = joined([message, detail])
  const said = redact(joined([words.join(', '), whole]))
  const { retryAfterMs } = response
  // a conflict is a lock that somebody else held: the same request may get it
  const retryable = response.retryable ?? (status === 409 ? true : undefined)
  return new InferenceError(
    classifyFailure({ status, words, message: whole }),
    said === '' ? what : `${what}: ${said}`,
    {
      status,
      retryAfterMs,
      retryable,
      provider: {
        ...(type === undefined ? {} : { type: redact(type) }),
        ...(code === undefined ? {} : { code: typeof code === 'string' ? redact(code) : code }),
        ...(message === '' ? {} : { message: redact(message) }),
      },
    },
  )
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(': ')
}
