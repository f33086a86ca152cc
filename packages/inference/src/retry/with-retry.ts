import { isLooprigError, type StreamEvent } from '@looprig/core'
import type { InferenceClient, InferenceOptions, InferenceStream } from '../client/client.ts'
import { createInferenceStream, type Events, isBatch, sourceOf, truncatedError } from '../client/event-stream.ts'
import type { InferenceRequest } from '../client/request.ts'
import type { InferenceResponse } from '../client/response.ts'
import { InferenceError } from '../failure/errors.ts'
import { backoffMs, type ResolvedRetryPolicy, type RetryPolicy, resolveRetryPolicy } from './policy.ts'

/**
 * Makes a client that sends a failed request again: only for errors that are `retryable`, and only before the first
 * event of a response, so nothing that anyone saw is ever said twice. A stream tells of each wait with a `retrying`
 * event, whose `attempt` counts the failures so far. When the attempts are used up, an error with the code of the last
 * one is thrown: it tells the number of `attempts`, has the last one as its `cause`, and is not retried by a further
 * `withRetry` around this one.
 *
 * A wait is at least as long as the server asked for; one over `maxRetryAfterMs` fails at once and names the time.
 *
 * @throws InferenceError `invalid_options` for a policy that cannot be followed.
 */
export function withRetry(client: InferenceClient, policy: RetryPolicy = {}): InferenceClient {
  const resolved = resolveRetryPolicy(policy)
  return {
    stream: (request, options = {}): InferenceStream =>
      createInferenceStream((signal) => streamWithRetry(client, request, resolved, signal), options.signal),
    invoke: (request, options = {}) => invokeWithRetry(client, request, resolved, options),
  }
}

async function* streamWithRetry(
  client: InferenceClient,
  request: InferenceRequest,
  policy: ResolvedRetryPolicy,
  signal: AbortSignal,
): AsyncGenerator<Events, void, undefined> {
  for (let attempt = 1; ; attempt += 1) {
    let begun = false
    try {
      for await (const events of sourceOf(client.stream(request, { signal }))) {
        begun ||= isBatch(events) ? events.some(isOfResponse) : isOfResponse(events)
        yield events
      }
      if (begun) return
      throw truncatedError()
    } catch (error) {
      if (begun) throw error
      const { code, delayMs } = planRetry(error, attempt, policy)
      yield { type: 'retrying', attempt, delayMs, code }
      await policy.wait(delayMs, signal)
    }
  }
}

function isOfResponse({ type }: StreamEvent): boolean {
  return type !== 'retrying'
}

async function invokeWithRetry(
  client: InferenceClient,
  request: InferenceRequest,
  policy: ResolvedRetryPolicy,
  { signal = new AbortController().signal }: InferenceOptions,
): Promise<InferenceResponse> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await client.invoke(request, { signal })
      return { ...response, attempts: (response.attempts ?? 1) + attempt - 1 }
    } catch (error) {
      const { delayMs } = planRetry(error, attempt, policy)
      await policy.wait(delayMs, signal).catch((cause: unknown) => {
        throw signal.aborted ? new InferenceError('aborted', 'the request was aborted', { cause }) : cause
      })
    }
  }
}

/** Gives the wait before the next attempt, or throws the error when there is none. */
function planRetry(error: unknown, failures: number, policy: ResolvedRetryPolicy): { code: string; delayMs: number } {
  if (!isInferenceError(error) || !error.retryable || error.attempts !== undefined) throw error
  const { code, retryAfterMs = 0 } = error
  if (retryAfterMs > policy.maxRetryAfterMs) {
    const asked = `asked to wait ${retryAfterMs} ms, over the limit of ${policy.maxRetryAfterMs} ms`
    throw givenUp(error, failures, asked)
  }
  if (failures >= policy.maxAttempts) {
    throw failures === 1 ? error : givenUp(error, failures, `given up after ${failures} attempts`)
  }
  return { code, delayMs: Math.max(retryAfterMs, backoffMs(failures, policy)) }
}

function givenUp(last: InferenceError, attempts: number, why: string): InferenceError {
  const { code, message, status, retryAfterMs, retryable, provider } = last
  const facts = { status, retryAfterMs, retryable, provider, attempts }
  return new InferenceError(code, `${message} (${why})`, { ...facts, cause: last })
}

/** By brand, so that a client of another copy of this package is retried too. */
function isInferenceError(error: unknown): error is InferenceError {
  return isLooprigError(error) && 'retryable' in error
}
