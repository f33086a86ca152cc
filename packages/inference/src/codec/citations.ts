import { isJsonObject, isJsonValue, type JsonObject, type JsonValue, maxBlocks } from '@looprig/core'
import { InferenceError } from '../failure/errors.ts'
import { listOfMember } from '../wire/json-members.ts'

/** What a provider says of where a text comes from, as it said it. Kept in the state of the text. */
export class Citations {
  readonly #list: JsonObject[] = []

  get isEmpty(): boolean {
    return this.#list.length === 0
  }

  /** To be taken once nothing more is added. */
  get list(): readonly JsonValue[] {
    return this.#list
  }

  /**
   * Adds a list of them; what is no object is none.
   *
   * @throws InferenceError `response_too_large` for more than a message may have blocks.
   */
  add(values: JsonValue | undefined): void {
    for (const value of listOfMember(values)) if (isJsonObject(value) && isJsonValue(value)) this.#list.push(value)
    if (this.#list.length > maxBlocks)
      throw new InferenceError('response_too_large', `more than ${maxBlocks} citations`)
  }
}
