import type { JsonObject, JsonValue, StreamEvent, Usage } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import type { Redact } from '../../failure/provider-text.ts'
import { listOfMember, objectOfMember, parseWireObject, textOfMember } from '../../wire/json-members.ts'
import { throwIfError } from './decode-error.ts'
import { ChatMessageDecoder } from './decode-message.ts'
import { finishEvent } from './finish.ts'
import { readUsage } from './usage.ts'

/**
 * Turns the frames of a streamed response into events. `[DONE]` ends it; where a server sends none, the end of the
 * stream does, if a finish reason was seen. `finish` comes last, since usage may follow the reason.
 */
export class ChatStreamDecoder {
  readonly #message = new ChatMessageDecoder()
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
    throwIfError(chunk, this.#redact)
    this.#model = textOfMember(chunk.model) ?? this.#model
    const usage = readUsage(chunk.usage) ?? readUsage(objectOfMember(chunk.x_groq)?.usage)
    if (usage !== undefined) this.#usage = { ...this.#usage, ...usage }
    const choice = firstChoice(chunk.choices)
    if (choice === undefined) return
    const delta = objectOfMember(choice.delta)
    if (delta !== undefined) this.#message.add(delta, false, out)
    this.#rawReason = textOfMember(choice.finish_reason) ?? this.#rawReason
  }

  /**
   * The stream is over. Without a finish reason nothing ends, so that the response counts as truncated.
   *
   * @param tail - the data of a last frame that was not closed; when it is cut short it is left out.
   */
  end(tail: string | undefined, out: StreamEvent[]): void {
    if (tail !== undefined) this.#decodeTail(tail, out)
    if (!this.#done && this.hasReason) this.#finish(out)
  }

  #decodeTail(tail: string, out: StreamEvent[]): void {
    try {
      this.decode(tail, out)
    } catch (error) {
      if (!(error instanceof InferenceError) || error.code !== 'malformed') throw error
    }
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
