import type { StreamEvent } from '@looprig/core'
import type { InferenceClient, InferenceOptions, InferenceStream } from '../client/client.ts'
import { createInferenceStream } from '../client/event-stream.ts'
import type { InferenceRequest } from '../client/request.ts'
import { InferenceError } from '../failure/errors.ts'
import { type RecordedExchange, requestDigest } from './exchange.ts'
import { checkExchanges } from './read-exchanges.ts'

/** How a replay client takes a request that is not in its recording. */
export interface ReplayClientOptions {
  /** `true`: it fails. `false`: it gets the first exchange that nothing has taken. Default: `true`. */
  readonly strict?: boolean | undefined
}

/** A client that plays recorded exchanges; there is no network behind it. */
export interface ReplayClient extends InferenceClient {
  /** How many exchanges nothing has taken. */
  readonly remaining: number
}

/**
 * Makes a client of what `recordingClient` recorded, in any order of different requests. The same request takes its
 * exchanges in the order of the recording, each once; one that has none left fails with `not_recorded`, as does, when
 * `strict`, one that was never recorded.
 *
 * @throws InferenceError `invalid_options`, naming the part that is no recording.
 */
export function replayClient(
  recording: readonly RecordedExchange[],
  { strict = true }: ReplayClientOptions = {},
): ReplayClient {
  const left = [...checkExchanges(recording)]
  const known = new Set(left.map(({ request }) => request))

  const take = (request: InferenceRequest): RecordedExchange => {
    const digest = requestDigest(request)
    const same = left.findIndex((exchange) => exchange.request === digest)
    const [exchange] = same >= 0 ? left.splice(same, 1) : strict || known.has(digest) ? [] : left.splice(0, 1)
    if (exchange !== undefined) return exchange
    const why = known.has(digest) ? 'was recorded fewer times' : 'is not in the recording'
    throw new InferenceError('not_recorded', `request ${digest.slice(0, 12)} ${why}`)
  }

  const stream = (request: InferenceRequest, { signal }: InferenceOptions = {}): InferenceStream =>
    createInferenceStream((aborted) => play(take, request, aborted), signal)
  return {
    stream,
    invoke: (request, options) => stream(request, options).result(),
    get remaining() {
      return left.length
    },
  }
}

async function* play(
  take: (request: InferenceRequest) => RecordedExchange,
  request: InferenceRequest,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, void, undefined> {
  signal.throwIfAborted()
  const { events, failure } = take(request)
  for (const event of events) {
    signal.throwIfAborted()
    yield event
  }
  if (failure === undefined) return
  const { code, ...facts } = failure
  throw new InferenceError(code, `the recorded request failed with ${code}`, facts)
}
