import type { JsonObject, StreamEvent, Usage } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import type { Redact } from '../../failure/provider-text.ts'
import { objectOfMember, parseWireObject, textOfMember } from '../../wire/json-members.ts'
import type { ResponseFacts, StreamDecoder } from '../wire-codec.ts'
import { ContentBlocks } from './decode-blocks.ts'
import { throwIfError } from './decode-error.ts'
import { finishEvent } from './finish.ts'
import { readUsage } from './usage.ts'

/**
 * Turns the frames of a streamed message into events. The type inside a frame counts, not the name of its event.
 * `message_stop` alone ends it. Counts of tokens are running totals: the last one of each kind counts.
 */
export class MessageStreamDecoder implements StreamDecoder {
  readonly #blocks = new ContentBlocks()
  readonly #redact: Redact
  #usage: Usage = {}
  #model: string | undefined
  #messageId: string | undefined
  #rawReason: string | undefined
  #done = false

  constructor(redact: Redact) {
    this.#redact = redact
  }

  get isDone(): boolean {
    return this.#done
  }

  /** A reason is followed by the end marker, and only that makes the message complete. */
  get hasReason(): boolean {
    return this.#done
  }

  get facts(): ResponseFacts {
    return { model: this.#model, usage: this.#usage, rawReason: this.#rawReason }
  }

  decode(frame: string, out: StreamEvent[]): void {
    if (this.#done) return
    const event = parseWireObject(frame, 'a frame of the stream')
    switch (event.type) {
      case 'content_block_delta':
        this.#blocks.delta(event.index, objectOfMember(event.delta) ?? {}, out)
        return
      case 'content_block_start':
        this.#blocks.start(event.index, objectOfMember(event.content_block) ?? {}, out)
        return
      case 'content_block_stop':
        this.#blocks.stop(event.index, out)
        return
      case 'message_start':
        this.#begin(objectOfMember(event.message) ?? {})
        return
      case 'message_delta':
        this.#count(event)
        this.#rawReason = textOfMember(objectOfMember(event.delta)?.stop_reason) ?? this.#rawReason
        return
      case 'message_stop':
        this.#finish(out)
        return
      default:
        throwIfError(event, this.#redact)
        return
    }
  }

  end(): void {
    if (!this.#done) throw new InferenceError('truncated', 'the response ended before its end marker')
  }

  /** A gateway may begin the same message twice; another one would be an answer after the first. */
  #begin(message: JsonObject): void {
    const id = textOfMember(message.id)
    if (this.#blocks.hasBegun && id !== this.#messageId) {
      throw new InferenceError('malformed', 'a second message began inside the stream')
    }
    this.#messageId = id
    this.#model = textOfMember(message.model) ?? this.#model
    this.#count(message)
  }

  #count(holder: JsonObject): void {
    this.#usage = { ...this.#usage, ...readUsage(holder.usage) }
  }

  #finish(out: StreamEvent[]): void {
    this.#done = true
    this.#blocks.end(out)
    const finish = finishEvent({
      rawReason: this.#rawReason,
      hasToolCalls: this.#blocks.hasToolCalls,
      usage: this.#usage,
      model: this.#model,
    })
    out.push(finish)
  }
}
