import { hash } from 'node:crypto'
import { canonicalJson, type JsonValue, type StreamEvent } from '@looprig/core'
import type { InferenceRequest } from '../client/request.ts'
import type { InferenceErrorCode } from '../failure/errors.ts'

/** The format of what is recorded. Another one is another version. */
export const exchangeFormat = 'looprig.exchange/1'

/** How a recorded request failed, without a word of the provider. */
export interface RecordedFailure {
  readonly code: InferenceErrorCode
  readonly retryable: boolean
  readonly status?: number
  readonly retryAfterMs?: number
}

/**
 * One request and what came of it, as JSON data: of the request only its digest, so neither keys nor prompts are in
 * it. What the model said is. Waits and retries are not.
 */
export interface RecordedExchange {
  readonly format: typeof exchangeFormat
  /** `requestDigest` of the request. */
  readonly request: string
  readonly events: readonly StreamEvent[]
  /** Absent for a response that is complete. */
  readonly failure?: RecordedFailure
}

/**
 * The SHA-256 of what a model is asked: which model, instructions, messages, tools, choice, output and sampling. Equal
 * for requests that differ in nothing else.
 */
export function requestDigest(request: InferenceRequest): string {
  const { model, system, messages, tools, toolChoice, parallelToolCalls, output, sampling } = request
  const asked = {
    model: { provider: model.provider, name: model.name, sampling: { ...model.sampling, ...sampling } },
    system,
    messages,
    tools,
    toolChoice,
    parallelToolCalls,
    output,
  }
  // proved: a request is JSON data but for members that are undefined, which are left out
  return hash('sha256', canonicalJson(asked as unknown as JsonValue), 'hex')
}
