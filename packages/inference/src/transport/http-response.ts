import type { Readable } from 'node:stream'
import { InferenceError } from '../failure/errors.ts'
import { networkError } from '../failure/network.ts'
import type { Deadline } from './deadline.ts'

/** What is read of a response that failed: enough for any error object. */
const maxErrorBytes = 64 * 1024

/** How long the body of a failed response may take. */
const errorBodyMs = 5000

/** The parts of a response that `HttpResponse` is made of. */
export interface HttpResponseParts {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Readable
  readonly deadline: Deadline
  /** The caller's signal. */
  readonly signal: AbortSignal
  readonly idleTimeoutMs: number
}

/** One response. Its body must be read once, or the response closed; either ends its timers. */
export class HttpResponse {
  readonly status: number
  readonly #parts: HttpResponseParts
  #lingering = false

  constructor(parts: HttpResponseParts) {
    this.status = parts.status
    this.#parts = parts
    parts.body.on('error', () => {}) // a body that nobody reads any more may still fail
  }

  header(name: string): string | undefined {
    const value = this.#parts.headers[name]
    return typeof value === 'string' ? value : value?.[0]
  }

  /**
   * Reads the body piece by piece; leaving the loop early closes the connection.
   *
   * @throws InferenceError `response_too_large`, `timeout`, `network` or `aborted`.
   */
  async *chunks(maxBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
    const { body, deadline, idleTimeoutMs } = this.#parts
    let bytes = 0
    deadline.expect('the next part of the response', idleTimeoutMs)
    try {
      // Proved: a body without an encoding gives buffers.
      for await (const chunk of body as AsyncIterable<Buffer>) {
        deadline.pause()
        bytes += chunk.byteLength
        if (bytes > maxBytes) throw new InferenceError('response_too_large', `more than ${maxBytes} bytes came`)
        yield chunk
        deadline.resume()
      }
    } catch (error) {
      if (!this.#lingering || this.#parts.signal.aborted) throw this.#failure(error)
    } finally {
      this.close()
    }
  }

  /**
   * What must be there was read: the rest has this much time, counted from the first call, and the body then just
   * ends, as it does at any failure but an abort. A connection whose body ended by itself can serve again.
   */
  linger(leftMs: number): void {
    this.#lingering = true
    this.#parts.deadline.shorten(leftMs)
  }

  /** Reads a whole body. */
  async text(maxBytes: number): Promise<string> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this.chunks(maxBytes)) chunks.push(chunk)
    return new TextDecoder().decode(Buffer.concat(chunks))
  }

  /** Reads the start of the body of a failed response. Never throws but for an abort: the status is what counts. */
  async errorText(): Promise<string> {
    const chunks: Uint8Array[] = []
    let bytes = 0
    this.#parts.deadline.shorten(errorBodyMs)
    try {
      for await (const chunk of this.chunks(Number.MAX_SAFE_INTEGER)) {
        chunks.push(chunk)
        bytes += chunk.byteLength
        if (bytes >= maxErrorBytes) break
      }
    } catch (error) {
      if (this.#parts.signal.aborted) throw error
    }
    return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxErrorBytes))
  }

  /** Gives the response up; harmless when it was read. */
  close(): void {
    this.#parts.deadline.close()
    this.#parts.body.destroy()
  }

  #failure(error: unknown): InferenceError {
    return requestFailure(error, this.#parts.signal, this.#parts.deadline)
  }
}

/** Says why a request ended: the caller, a bound, or the connection, in this order. */
export function requestFailure(error: unknown, signal: AbortSignal, deadline: Deadline): InferenceError {
  if (signal.aborted) return new InferenceError('aborted', 'the request was aborted')
  const { reason } = deadline.signal
  if (reason instanceof InferenceError) return reason
  return error instanceof InferenceError ? error : networkError(error)
}
