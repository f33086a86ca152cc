import type { JsonObject, StreamEvent } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import type { Redact } from '../../failure/provider-text.ts'
import { objectOfMember, parseWireObject, textOfMember } from '../../wire/json-members.ts'
import { throwIfError } from '../openai-chat/decode-error.ts'
import type { ResponseFacts, StreamDecoder } from '../wire-codec.ts'
import { throwErrorEvent, throwFailure } from './decode-error.ts'
import { OutputDecoder } from './decode-output.ts'
import { endOf, factsOf, finishEvent } from './finish.ts'

/**
 * Turns the frames of a streamed response into events. The event that holds the complete response ends it: everything
 * after it, `[DONE]` too, is ignored.
 */
export class ResponsesStreamDecoder implements StreamDecoder {
  readonly #output = new OutputDecoder()
  readonly #redact: Redact
  #facts: ResponseFacts = {}
  #done = false

  constructor(redact: Redact) {
    this.#redact = redact
  }

  get isDone(): boolean {
    return this.#done
  }

  get hasReason(): boolean {
    return this.#done
  }

  get facts(): ResponseFacts {
    return this.#facts
  }

  decode(frame: string, out: StreamEvent[]): void {
    if (this.#done || frame.startsWith('[DONE]')) return
    const event = parseWireObject(frame, 'a frame of the stream')
    const type = textOfMember(event.type)
    if (type === undefined) throwIfError(event, this.#redact)
    else this.#take(type, event, out)
  }

  end(): void {
    if (!this.#done) throw new InferenceError('truncated', 'the response ended before its end marker')
  }

  #take(type: string, event: JsonObject, out: StreamEvent[]): void {
    switch (type) {
      case 'response.output_item.added':
        this.#output.begin(event, out)
        return
      case 'response.output_item.done':
        this.#output.end(event, out)
        return
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        this.#learn(objectOfMember(event.response))
        return
      case 'response.completed':
      case 'response.incomplete':
      case 'response.done':
        this.#finish(type, objectOfMember(event.response) ?? {}, out)
        return
      case 'response.failed':
        this.#fail(objectOfMember(event.response))
        throwFailure(objectOfMember(event.response), this.#redact)
        return
      case 'error':
      case 'response.error':
        this.#fail(undefined)
        throwErrorEvent(event, this.#redact)
        return
      default:
        this.#output.take(type, event, out)
    }
  }

  #learn(response: JsonObject | undefined): void {
    if (response !== undefined) this.#facts = { ...this.#facts, ...factsOf(response) }
  }

  #fail(response: JsonObject | undefined): void {
    this.#learn(response)
    this.#facts = { ...this.#facts, reason: 'unknown', rawReason: 'failed' }
  }

  #finish(type: string, response: JsonObject, out: StreamEvent[]): void {
    this.#learn(response)
    if (response.status === 'failed') throwFailure(response, this.#redact)
    const status = response.status ?? (type === 'response.incomplete' ? 'incomplete' : 'completed')
    this.#output.endAll(response.output, out)
    const end = endOf({ ...response, status }, this.#output.hasCalls)
    if (end === undefined) throw new InferenceError('malformed', 'the response ended in a status that is no end')
    this.#done = true
    this.#facts = { ...this.#facts, ...end }
    out.push(finishEvent(end, this.#facts))
  }
}
