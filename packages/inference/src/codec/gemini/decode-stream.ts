import { isJsonObject, type JsonObject, type JsonValue, type StreamEvent } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import type { Redact } from '../../failure/provider-text.ts'
import { listOfMember, objectOfMember, textOfMember } from '../../wire/json-members.ts'
import type { ResponseFacts, StreamDecoder } from '../wire-codec.ts'
import { CallIds, type MintId } from './call-ids.ts'
import { throwIfError } from './decode-error.ts'
import { PartsDecoder } from './decode-parts.ts'
import { finishReason, isBrokenCall } from './finish.ts'
import { UsageCounts } from './usage.ts'

/**
 * Turns the chunks of a response into events: those of a stream, those of a list, or the one that a whole response is.
 * There is no end marker; a reason completes the response, and `finish` comes at the end, since usage may follow it.
 */
export class GeminiDecoder implements StreamDecoder {
  readonly #redact: Redact
  readonly #ids: CallIds
  readonly #parts: PartsDecoder
  readonly #usage = new UsageCounts()
  #model: string | undefined
  #rawReason: string | undefined
  #blocked = false
  #finishMessage = ''
  #done = false

  constructor(redact: Redact, mintId?: MintId) {
    this.#redact = redact
    this.#ids = new CallIds(mintId)
    this.#parts = new PartsDecoder(this.#ids)
  }

  get isDone(): boolean {
    return this.#done
  }

  get hasReason(): boolean {
    return this.#rawReason !== undefined
  }

  get facts(): ResponseFacts {
    const { usage } = this.#usage
    const rawReason = this.#rawReason
    return {
      ...(this.#model === undefined ? {} : { model: this.#model }),
      ...(usage === undefined ? {} : { usage }),
      ...(rawReason === undefined ? {} : { reason: this.#reason(rawReason), rawReason }),
    }
  }

  decode(frame: string, out: StreamEvent[]): void {
    if (!this.#done && frame !== '[DONE]') this.take(parseChunk(frame, 'a frame of the stream'), out)
  }

  /** Takes a chunk, or a list of chunks. @throws InferenceError as `decode` does. */
  take(value: JsonValue, out: StreamEvent[]): void {
    if (Array.isArray(value)) for (const chunk of value) this.#takeChunk(objectOfMember(chunk), out)
    else this.#takeChunk(objectOfMember(value), out)
  }

  end(out: StreamEvent[]): void {
    if (this.#done) return
    const rawReason = this.#rawReason
    if (rawReason === undefined) throw new InferenceError('truncated', 'the response ended before its end marker')
    this.#done = true
    this.#parts.end(out)
    if (isBrokenCall(rawReason) && !this.#parts.hasCalls) throw brokenCall(rawReason, this.#redact(this.#finishMessage))
    const { usage, model } = this.facts
    out.push({
      type: 'finish',
      reason: this.#reason(rawReason),
      rawReason,
      ...(usage === undefined ? {} : { usage }),
      ...(model === undefined ? {} : { model }),
    })
  }

  #takeChunk(chunk: JsonObject | undefined, out: StreamEvent[]): void {
    if (chunk === undefined) throw new InferenceError('malformed', 'a part of the response is not a JSON object')
    throwIfError(chunk, this.#redact)
    this.#model = textOfMember(chunk.modelVersion) ?? this.#model
    this.#ids.learn(textOfMember(chunk.responseId))
    this.#usage.take(chunk.usageMetadata)
    const candidate = firstCandidate(chunk.candidates)
    if (candidate !== undefined) this.#takeCandidate(candidate, out)
    const blocked = textOfMember(objectOfMember(chunk.promptFeedback)?.blockReason)
    if (blocked === undefined || this.#rawReason !== undefined) return
    this.#blocked = true
    this.#rawReason = `prompt:${blocked}`
  }

  #takeCandidate(candidate: JsonObject, out: StreamEvent[]): void {
    for (const part of listOfMember(objectOfMember(candidate.content)?.parts)) this.#parts.take(part, out)
    this.#rawReason = textOfMember(candidate.finishReason) ?? this.#rawReason
    this.#finishMessage = textOfMember(candidate.finishMessage) ?? this.#finishMessage
  }

  #reason(rawReason: string): ReturnType<typeof finishReason> {
    return this.#blocked ? 'content_filter' : finishReason(rawReason, this.#parts.hasCalls)
  }
}

/** Reads a chunk, or a list of them. @throws InferenceError `malformed` for anything else. */
export function parseChunk(text: string, what: string): JsonValue {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new InferenceError('malformed', `${what} is not JSON`)
  }
  if (isJsonObject(value)) return value
  if (Array.isArray(value)) return value
  throw new InferenceError('malformed', `${what} is not a JSON object`)
}

/** The candidate with index 0, or without one; we never ask for more. */
function firstCandidate(candidates: JsonValue | undefined): JsonObject | undefined {
  for (const entry of listOfMember(candidates)) {
    const candidate = objectOfMember(entry)
    if (candidate !== undefined && (candidate.index ?? 0) === 0) return candidate
  }
  return undefined
}

/** The same request often succeeds when it is sent again: the model just wrote its call down wrongly. */
function brokenCall(rawReason: string, said: string): InferenceError {
  const message = `the model made a call that cannot be read: ${rawReason}`
  return new InferenceError('malformed', said === '' ? message : `${message}: ${said}`, { retryable: true })
}
