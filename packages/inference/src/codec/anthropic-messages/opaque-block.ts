import { isJsonValue, type JsonObject, type JsonValue, parseToolInput } from '@looprig/core'

/**
 * A block of the server's own tools, or of a kind that the protocol got later, put together from its pieces. It can be
 * sent back only as it was, so one with a piece that nobody knows is given up.
 */
export class OpaqueBlock {
  readonly #content: JsonObject
  #args = ''
  #summary: string | undefined
  #isKnown = true

  constructor(content: JsonObject) {
    this.#content = content
  }

  take({ type, partial_json, content }: JsonObject): void {
    if (type === 'input_json_delta' && typeof partial_json === 'string') this.#args += partial_json
    else if (type === 'compaction_delta' && typeof content === 'string') this.#summary = (this.#summary ?? '') + content
    else this.#isKnown = false
  }

  /** The whole block, once its end came; `undefined` when it cannot be told what it was. */
  close(): JsonValue | undefined {
    const input = this.#args === '' ? undefined : parseToolInput(this.#args)
    const isWhole =
      this.#isKnown && typeof this.#content.type === 'string' && (this.#args === '' || input !== undefined)
    if (!isWhole || !isJsonValue(this.#content)) return undefined
    return {
      ...this.#content,
      ...(input === undefined ? {} : { input }),
      ...(this.#summary === undefined ? {} : { content: this.#summary }),
    }
  }
}
