import type { StreamEvent } from '@looprig/core'
import type { InferenceClient, InferenceOptions, InferenceStream } from '../client/client.ts'
import { createInferenceStream } from '../client/event-stream.ts'
import type { InferenceRequest } from '../client/request.ts'
import { InferenceError } from '../failure/errors.ts'
import { exchangeFormat, type RecordedExchange, type RecordedFailure, requestDigest } from './exchange.ts'

/** Takes what was recorded, for example to write it as one line of JSON. What it throws fails the request. */
export type ExchangeSink = (exchange: RecordedExchange) => void | Promise<void>

/**
 * Makes a client that gives every exchange to `sink` right before its stream ends, whole or failed. An exchange that is
 * aborted or left early is not recorded. A whole response is asked for as a stream too.
 */
export function recordingClient(client: InferenceClient, sink: ExchangeSink): InferenceClient {
  async function* record(request: InferenceRequest, signal: AbortSignal): AsyncGenerator<StreamEvent, void, undefined> {
    const digest = requestDigest(request)
    const events: StreamEvent[] = []
    const keep = (failure?: RecordedFailure) =>
      sink({ format: exchangeFormat, request: digest, events, ...(failure === undefined ? {} : { failure }) })
    try {
      for await (const event of client.stream(request, { signal })) {
        if (event.type !== 'retrying') events.push(event)
        yield event
      }
    } catch (error) {
      if (error instanceof InferenceError && error.code !== 'aborted') await keep(failureOf(error))
      throw error
    }
    await keep()
  }

  const stream = (request: InferenceRequest, { signal }: InferenceOptions = {}): InferenceStream =>
    createInferenceStream((aborted) => record(request, aborted), signal)
  return { stream, invoke: (request, options) => stream(request, options).result() }
}

function failureOf({ code, retryable, status, retryAfterMs }: InferenceError): RecordedFailure {
  return {
    code,
    retryable,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}
