import { Deadline } from './deadline.ts'
import { type ConnectionOptions, lazyDispatcher } from './dispatcher.ts'
import { HttpResponse, requestFailure } from './http-response.ts'
import type { ResolvedLimits } from './limits.ts'

/** One request. */
export interface HttpRequest {
  readonly url: URL
  readonly headers: Record<string, string>
  readonly body: string
  /** How long until the response headers; absent: only `wholeTimeoutMs` bounds it. */
  readonly firstByteTimeoutMs?: number | undefined
  readonly wholeTimeoutMs: number
}

/** Sends a request once: nothing is retried, no redirect followed. */
export type HttpPost = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>

/** Makes the transport of a client; undici is loaded with its first request. */
export function createHttpPost(options: ConnectionOptions, limits: ResolvedLimits): HttpPost {
  const dispatcherOf = lazyDispatcher(options, limits.connectTimeoutMs)

  return async ({ url, headers, body, firstByteTimeoutMs, wholeTimeoutMs }, signal) => {
    const deadline = new Deadline(wholeTimeoutMs)
    if (firstByteTimeoutMs !== undefined) deadline.expect('the response', firstByteTimeoutMs)
    try {
      const [{ request }, dispatcher] = await Promise.all([import('undici'), dispatcherOf()])
      signal.throwIfAborted()
      const response = await request(url, {
        method: 'POST',
        headers,
        body,
        dispatcher,
        signal: AbortSignal.any([signal, deadline.signal]),
        headersTimeout: 0, // ours hold, also for a dispatcher with others
        bodyTimeout: 0,
      })
      const { statusCode: status, headers: received } = response
      const { idleTimeoutMs } = limits
      return new HttpResponse({ status, headers: received, body: response.body, deadline, signal, idleTimeoutMs })
    } catch (error) {
      deadline.close()
      throw requestFailure(error, signal, deadline)
    }
  }
}
