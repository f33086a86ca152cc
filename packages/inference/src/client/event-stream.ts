import { Accumulator, ContentError, type StreamEvent } from '@looprig/core'
import { InferenceError } from '../failure/errors.ts'
import type { InferenceStream } from './client.ts'
import type { InferenceResponse } from './response.ts'

/**
 * Produces the events of one response, one by one or those that came together as a list, which is far cheaper; called
 * once, when somebody first reads. Aborting `signal` must end it, and so must `return` of its iterator, which is called
 * at a pause between two events when the reader leaves early.
 */
export type EventSource = (signal: AbortSignal) => AsyncIterable<Events>

/** One event, or several that came together. */
export type Events = StreamEvent | readonly StreamEvent[]

type Outcome =
  /** Folded, and put together only when somebody asks. */
  { readonly ok: true; readonly whole: Accumulator } | { readonly ok: false; readonly error: unknown }

/**
 * Makes the stream that every client returns: single use, lazy, folded once, ended when its reader leaves early, and
 * truncated when `source` ends without a `finish` event.
 */
export function createInferenceStream(source: EventSource, signal?: AbortSignal): InferenceStream {
  return new EventStream(source, signal)
}

/**
 * Reads a stream for another one around it, which folds the events itself: nothing is folded here, so a response that
 * breaks off just ends.
 */
export function sourceOf(stream: InferenceStream): AsyncIterable<Events> {
  return stream instanceof EventStream ? stream.unfolded() : stream
}

/** Its own iterator, written out: an async generator around the source's would double the cost of a delta. */
class EventStream implements InferenceStream, AsyncIterator<StreamEvent, undefined> {
  readonly #source: EventSource
  readonly #signal: AbortSignal | undefined
  readonly #accumulator = new Accumulator()
  #events: AsyncIterator<Events, unknown> | undefined
  /** Events that came together, and the place of the next one. */
  #batch: readonly StreamEvent[] = noEvents
  #place = 0
  /** Settles when the source has given what it was asked for; it is asked for one thing at a time. */
  #asked: Promise<unknown> | undefined
  /** Only for a caller without a signal: a signal of our own for every response costs more than the response. */
  #own: AbortController | undefined
  #consumed = false
  #attempts = 1
  #outcome: Outcome | undefined
  #response: InferenceResponse | undefined
  #waiters: (() => void)[] = []

  constructor(source: EventSource, signal: AbortSignal | undefined) {
    this.#source = source
    this.#signal = signal
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamEvent, undefined> {
    this.#consume()
    return this
  }

  /** Its source as it is. */
  unfolded(): AsyncIterable<Events> {
    this.#consume()
    return { [Symbol.asyncIterator]: () => this.#begin() }
  }

  async result(): Promise<InferenceResponse> {
    if (!this.#consumed) for await (const _ of this);
    if (this.#outcome === undefined) await new Promise<void>((resolve) => this.#waiters.push(resolve))
    const outcome = this.#outcome
    if (outcome?.ok === true) {
      this.#response ??= toResponse(outcome.whole, this.#attempts)
      return this.#response
    }
    throw outcome?.error
  }

  next(): Promise<IteratorResult<StreamEvent, undefined>> {
    if (this.#asked !== undefined) return this.#asked.then(this.#again, this.#again)
    if (this.#outcome !== undefined) return Promise.resolve(ended)
    try {
      const event = this.#batch[this.#place]
      if (event !== undefined) return Promise.resolve(this.#give(event))
      this.#events ??= this.#begin()
      const asked = this.#events.next().then(this.#take, this.#fail)
      this.#asked = asked
      return asked
    } catch (error) {
      return this.#fail(error)
    }
  }

  /** The reader leaves. */
  async return(): Promise<IteratorResult<StreamEvent, undefined>> {
    this.#settle({ ok: false, error: leftError() })
    await this.#endSource()
    return ended
  }

  #consume(): void {
    if (this.#consumed) throw new InferenceError('stream_consumed', 'a response stream can be read once')
    this.#consumed = true
  }

  readonly #again = () => this.next()

  #begin(): AsyncIterator<Events, unknown> {
    if (this.#signal?.aborted === true) throw abortedError()
    if (this.#signal !== undefined) return this.#source(this.#signal)[Symbol.asyncIterator]()
    this.#own = new AbortController()
    return this.#source(this.#own.signal)[Symbol.asyncIterator]()
  }

  /** What the source gave; made once, since it is called for each. */
  readonly #take = (item: IteratorResult<Events, unknown>) => {
    this.#asked = undefined
    try {
      if (item.done === true) return this.#end()
      const { value } = item
      if (!isBatch(value)) {
        this.#fold(value)
        // proved: its value is one event
        return item as IteratorResult<StreamEvent, undefined>
      }
      this.#batch = value
      this.#place = 0
      return this.next()
    } catch (error) {
      return this.#fail(error)
    }
  }

  /** The next event of those that came together, folded. */
  #give(event: StreamEvent): IteratorResult<StreamEvent, undefined> {
    if (this.#signal?.aborted === true) throw abortedError()
    this.#place += 1
    this.#fold(event)
    return { done: false, value: event }
  }

  #fold(event: StreamEvent): void {
    if (event.type === 'retrying') this.#attempts += 1
    this.#accumulator.add(event)
  }

  #end(): IteratorResult<StreamEvent, undefined> {
    if (!this.#accumulator.isFinished) throw truncatedError()
    this.#settle({ ok: true, whole: this.#accumulator })
    return ended
  }

  readonly #fail = async (error: unknown): Promise<never> => {
    this.#asked = undefined
    const failure = this.#signal?.aborted === true ? abortedError(error) : toInferenceError(error)
    this.#settle({ ok: false, error: failure })
    // what it says while it ends is not the reason
    await this.#endSource().catch(() => undefined)
    throw failure
  }

  async #endSource(): Promise<void> {
    this.#own?.abort()
    await this.#events?.return?.()
  }

  /** The first outcome counts. */
  #settle(outcome: Outcome): void {
    if (this.#outcome !== undefined) return
    this.#outcome = outcome
    for (const wake of this.#waiters.splice(0)) wake()
  }
}

const noEvents: readonly StreamEvent[] = []

/** Says which of the two it is. */
export function isBatch(events: Events): events is readonly StreamEvent[] {
  return Array.isArray(events)
}

/** What a stream gives once it is over. */
const ended: IteratorResult<StreamEvent, undefined> = Object.freeze({ done: true, value: undefined })

function toResponse(accumulator: Accumulator, attempts: number): InferenceResponse {
  const { message, toolCalls, finish } = accumulator.result()
  if (finish === undefined) throw truncatedError()
  return {
    message,
    toolCalls,
    finishReason: finish.reason,
    attempts,
    ...(finish.rawReason === undefined ? {} : { rawFinishReason: finish.rawReason }),
  }
}

/** A stream that ends without `finish`. */
export function truncatedError(): InferenceError {
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

/** Makes an `InferenceError` of what the accumulator says of a response that is not valid; gives anything else back. */
export function toInferenceError(error: unknown): unknown {
  if (!(error instanceof ContentError)) return error
  const code = error.code === 'content_too_large' ? 'response_too_large' : 'malformed'
  return new InferenceError(code, `the response is not valid: ${error.message}`, { cause: error })
}
