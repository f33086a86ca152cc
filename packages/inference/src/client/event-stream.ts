import { Accumulator, ContentError, type StreamEvent } from '@looprig/core'
import { InferenceError } from '../failure/errors.ts'
import type { InferenceStream } from './client.ts'
import type { InferenceResponse } from './response.ts'

/** Produces the events of one response; called once, when somebody first reads. Aborting `signal` must end it. */
export type EventSource = (signal: AbortSignal) => AsyncIterable<StreamEvent>

type Outcome =
  /** Folded, and put together only when somebody asks. */
  { readonly ok: true; readonly whole: Accumulator } | { readonly ok: false; readonly error: unknown }

/**
 * Makes the stream that every client returns: single use, lazy, folded once, aborted when its reader leaves early,
 * and truncated when `source` ends without a `finish` event.
 */
export function createInferenceStream(source: EventSource, signal?: AbortSignal): InferenceStream {
  return new EventStream(source, signal)
}

class EventStream implements InferenceStream {
  readonly #source: EventSource
  readonly #signal: AbortSignal | undefined
  #consumed = false
  #outcome: Outcome | undefined
  #response: InferenceResponse | undefined
  #waiters: (() => void)[] = []

  constructor(source: EventSource, signal: AbortSignal | undefined) {
    this.#source = source
    this.#signal = signal
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamEvent> {
    if (this.#consumed) throw new InferenceError('stream_consumed', 'a response stream can be read once')
    this.#consumed = true
    return this.#read()
  }

  async result(): Promise<InferenceResponse> {
    if (!this.#consumed) for await (const _ of this);
    if (this.#outcome === undefined) await new Promise<void>((resolve) => this.#waiters.push(resolve))
    const outcome = this.#outcome
    if (outcome?.ok === true) {
      this.#response ??= toResponse(outcome.whole)
      return this.#response
    }
    throw outcome?.error
  }

  async *#read(): AsyncGenerator<StreamEvent, void, undefined> {
    // cheaper than `AbortSignal.any`, which every step of an agent would pay
    const own = new AbortController()
    const stop = () => own.abort(this.#signal?.reason)
    const accumulator = new Accumulator()
    try {
      if (this.#signal?.aborted === true) throw abortedError()
      this.#signal?.addEventListener('abort', stop, { once: true })
      for await (const event of this.#source(own.signal)) {
        accumulator.add(event)
        yield event
      }
      if (!accumulator.isFinished) throw truncatedError()
      this.#settle({ ok: true, whole: accumulator })
    } catch (error) {
      const failure = this.#signal?.aborted === true ? abortedError(error) : toInferenceError(error)
      this.#settle({ ok: false, error: failure })
      throw failure
    } finally {
      this.#signal?.removeEventListener('abort', stop)
      if (this.#outcome === undefined) this.#settle({ ok: false, error: leftError() })
      if (this.#outcome?.ok !== true) own.abort()
    }
  }

  /** The first outcome counts. */
  #settle(outcome: Outcome): void {
    if (this.#outcome !== undefined) return
    this.#outcome = outcome
    for (const wake of this.#waiters.splice(0)) wake()
  }
}

function toResponse(accumulator: Accumulator): InferenceResponse {
  const { message, toolCalls, finish } = accumulator.result()
  if (finish === undefined) throw truncatedError()
  return {
    message,
    toolCalls,
    finishReason: finish.reason,
    ...(finish.rawReason === undefined ? {} : { rawFinishReason: finish.rawReason }),
  }
}

function truncatedError(): InferenceError {
  return new InferenceError('truncated', 'the response ended before its end marker')
}

function leftError(): InferenceError {
  return new InferenceError('aborted', 'the reader left before the response ended')
}

function abortedError(cause?: unknown): InferenceError {
  return cause instanceof InferenceError && cause.code === 'aborted'
    ? cause
    : new InferenceError('aborted', 'the request was aborted', { cause })
}

function toInferenceError(error: unknown): unknown {
  if (!(error instanceof ContentError)) return error
  const code = error.code === 'content_too_large' ? 'response_too_large' : 'malformed'
  return new InferenceError(code, `the response is not valid: ${error.message}`, { cause: error })
}
