import type { StreamEvent, Usage } from '@looprig/core'
import type { InferenceClient, InferenceStream } from '../client/client.ts'
import type { InferenceRequest } from '../client/request.ts'
import { estimateTokens } from './estimate-tokens.ts'

/**
 * Counts the tokens of requests by `estimateTokens`, corrected by what the requests of the same model really were, as
 * far as a client of `learningFrom` has seen them. It fits where a counter of context is wanted, and is never exact.
 */
export interface TokenEstimator {
  readonly exact: false
  /** A whole number; there is nothing to wait for. */
  count(request: InferenceRequest): Promise<number>
  /** Makes a client that does what `client` does and tells this estimator of the input that was billed. */
  learningFrom(client: InferenceClient): InferenceClient
}

/** How far a correction goes at most, either way: beyond that, a provider counts something else. */
const maxCorrection = 4

/** Models that corrections are kept for. */
const maxModels = 64

/** Makes an estimator that has learnt nothing. Safe to share between sessions. */
export function tokenEstimator(): TokenEstimator {
  const corrections = new Map<string, number>()

  const learn = (request: InferenceRequest, usage: Usage | undefined): void => {
    const real = inputOf(usage)
    if (real === 0) return
    const seen = Math.min(maxCorrection, Math.max(1 / maxCorrection, real / Math.max(1, estimateTokens(request))))
    const key = keyOf(request)
    const before = corrections.get(key)
    corrections.delete(key) // the last one that was told comes last
    corrections.set(key, before === undefined ? seen : (before + seen) / 2)
    for (const oldest of corrections.keys()) {
      if (corrections.size <= maxModels) break
      corrections.delete(oldest)
    }
  }

  return {
    exact: false,
    count: async (request) => Math.ceil(estimateTokens(request) * (corrections.get(keyOf(request)) ?? 1)),
    learningFrom: (client) => ({
      stream: (request, options) => observed(client.stream(request, options), (usage) => learn(request, usage)),
      invoke: async (request, options) => {
        const response = await client.invoke(request, options)
        learn(request, response.message.usage)
        return response
      },
    }),
  }
}

/** All of the input, from a cache or not. */
function inputOf({ inputTokens = 0, cacheReadTokens = 0, cacheCreationTokens = 0 }: Usage = {}): number {
  return inputTokens + cacheReadTokens + cacheCreationTokens
}

function keyOf({ model }: InferenceRequest): string {
  return `${model.provider}\n${model.name}`
}

/** The same stream; `tell` is called once, when its end is read. */
function observed(stream: InferenceStream, tell: (usage: Usage | undefined) => void): InferenceStream {
  let told = false
  const once = (usage: Usage | undefined): void => {
    if (!told) tell(usage)
    told = true
  }
  const take = (item: IteratorResult<StreamEvent>): IteratorResult<StreamEvent> => {
    if (item.done !== true && item.value.type === 'finish') once(item.value.usage)
    return item
  }
  return {
    [Symbol.asyncIterator]() {
      const events = stream[Symbol.asyncIterator]()
      return {
        next: () => events.next().then(take),
        return: async () => (await events.return?.()) ?? { done: true, value: undefined },
      }
    },
    async result() {
      const response = await stream.result()
      once(response.message.usage)
      return response
    },
  }
}
