import type { JsonObject, JsonValue, StreamEvent, Usage } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import type { Redact } from '../../failure/provider-text.ts'
import { listOfMember, objectOfMember, parseWireObject, textOfMember } from '../../wire/json-members.ts'
import type { ResponseFacts, StreamDecoder } from '../wire-codec.ts'
import { throwIfError } from './decode-error.ts'
import { ChatMessageDecoder } from './decode-message.ts'
import { finishEvent, finishReason } from './finish.ts'
import { CallIds } from './mint-id.ts'
import { usageOf } from './usage.ts'

/**
 * Turns the frames of a streamed response into events. `[DONE]` ends it; where a server sends none, the end of the
 * stream does, if a finish reason was seen. `finish` comes last, since usage may follow the reason.
 */
export class ChatStreamDecoder implements StreamDecoder {
  readonly #ids = new CallIds()
  readonly #message = new ChatMessageDecoder(this.#ids)
  readonly #redact: Redact
  #usage: Usage | undefined
  #model: string | undefined
  #rawReason: string | undefined
  #done = false

  constructor(redact: Redact) {
    this.#redact = redact
  }

  /** Whether the provider said why it ended: what follows is usage and `[DONE]`, or nothing. */
  get hasReason(): boolean {
    return this.#rawReason !== undefined
  }

  get facts(): ResponseFacts {
    const rawReason = this.#rawReason
    const reason = rawReason === undefined ? undefined : finishReason(rawReason)
    return { model: this.#model, usage: this.#usage, reason, rawReason }
  }

  /** Whether `finish` was given; later frames are ignored. */
  get isDone(): boolean {
    return this.#done
  }

  /**
   * Takes the data of the next frame and adds its events to `out`.
   *
   * @throws InferenceError `malformed` for a frame that is not an object; what an error frame says.
   */
  decode(frame: string, out: StreamEvent[]): void {
    if (this.#done) return
    if (frame.startsWith('[DONE]')) {
      this.#finish(out)
      return
    }
    const chunk = parseWireObject(frame, 'a frame of the stream')
    this.#ids.learn(textOfMember(chunk.id))
    this.#model = textOfMember(chunk.model) ?? this.#model
    const choice = firstChoice(chunk.choices)
    const usage = usageOf(chunk, choice)
    if (usage !== undefined) this.#usage = { ...this.#usage, ...usage }
    throwIfError(chunk, this.#redact)
    if (choice === undefined) return
    throwIfError(choice, this.#redact)
    const delta = objectOfMember(choice.delta)
    if (delta !== undefined) this.#message.add(delta, false, out)
    this.#rawReason = textOfMember(choice.finish_reason) ?? this.#rawReason
  }

  /**
   * The stream is over.
   *
   * @throws InferenceError `truncated` when there was neither a finish reason nor `[DONE]`.
   */
  end(out: StreamEvent[]): void {
    if (this.#done) return
    if (!this.hasReason) throw new InferenceError('truncated', 'the response ended before its end marker')
    this.#finish(out)
  }

  #finish(out: StreamEvent[]): void {
    this.#done = true
    const finish = finishEvent({
      rawReason: this.#rawReason,
      hasToolCalls: this.#message.hasToolCalls,
      usage: this.#usage,
      model: this.#model,
    })
    this.#message.end(out)
    out.push(finish)
  }
}

/** The choice with index 0, or without one; we never ask for more. */
export function firstChoice(choices: JsonValue | undefined): JsonObject | undefined {
  for (const entry of listOfMember(choices)) {
    const choice = objectOfMember(entry)
    if (choice !== undefined && (choice.index ?? 0) === 0) return choice
  }
  return undefined
}
