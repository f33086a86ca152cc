import type { JsonObject, StreamEvent, Usage } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import type { Redact } from '../../failure/provider-text.ts'
import { objectOfMember, parseWireObject, textOfMember } from '../../wire/json-members.ts'
import type { ResponseFacts, StreamDecoder } from '../wire-codec.ts'
import { ConverseBlocks } from './decode-blocks.ts'
import { exceptionError } from './decode-error.ts'
import { finishEvent } from './finish.ts'
import { readUsage } from './usage.ts'

/**
 * Turns the frames of a streamed response into events. `messageStop` completes it; `metadata` with the usage follows and
 * is the end, and where it does not come the end of the stream is.
 */
export class ConverseStreamDecoder implements StreamDecoder {
  readonly #blocks = new ConverseBlocks()
  readonly #redact: Redact
  #usage: Usage | undefined
  #rawReason: string | undefined
  #hasReason = false
  #done = false

  constructor(redact: Redact) {
    this.#redact = redact
  }

  get isDone(): boolean {
    return this.#done
  }

  get hasReason(): boolean {
    return this.#hasReason
  }

  get facts(): ResponseFacts {
    return { usage: this.#usage, rawReason: this.#rawReason }
  }

  decode(frame: string, out: StreamEvent[]): void {
    if (this.#done) return
    const event = parseWireObject(frame, 'a frame of the stream')
    for (const type in event) this.#take(type, objectOfMember(event[type]) ?? {}, out)
  }

  end(out: StreamEvent[]): void {
    if (this.#done) return
    if (!this.#hasReason) throw new InferenceError('truncated', 'the response ended before its end marker')
    this.#finish(out)
  }

  #take(type: string, payload: JsonObject, out: StreamEvent[]): void {
    const index = payload.contentBlockIndex
    switch (type) {
      case 'contentBlockDelta':
        this.#blocks.delta(index, objectOfMember(payload.delta) ?? {}, out)
        return
      case 'contentBlockStart':
        this.#blocks.start(index, objectOfMember(payload.start) ?? {}, out)
        return
      case 'contentBlockStop':
        this.#blocks.stop(index, out)
        return
      case 'messageStop':
        this.#hasReason = true
        this.#rawReason = textOfMember(payload.stopReason)
        return
      case 'metadata':
        this.#usage = readUsage(payload.usage) ?? this.#usage
        if (this.#hasReason) this.#finish(out)
        return
      default:
        if (type === 'error') throw this.#failure(textOfMember(payload.code) ?? 'error', payload)
        if (/exception$/i.test(type)) throw this.#failure(type, payload)
        return
    }
  }

  #failure(type: string, payload: JsonObject): InferenceError {
    return exceptionError(type, textOfMember(payload.message) ?? textOfMember(payload.Message), this.#redact)
  }

  #finish(out: StreamEvent[]): void {
    this.#done = true
    this.#blocks.end(out)
    const { hasToolCalls } = this.#blocks
    out.push(finishEvent({ rawReason: this.#rawReason, hasToolCalls, usage: this.#usage }))
  }
}
