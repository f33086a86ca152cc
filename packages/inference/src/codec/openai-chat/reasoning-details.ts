import { isJsonValue, type JsonObject, type JsonValue, maxBlocks } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import { objectOfMember, textOfMember } from '../../wire/json-members.ts'

/**
 * Collects `reasoning_details`, which must go back as they came. A stream brings an entry in fragments: those of one
 * type and index that follow each other are one entry, until it is signed.
 */
export class ReasoningDetails {
  readonly #entries: Entry[] = []

  /**
   * @param whole - each entry is a whole one.
   * @throws InferenceError `response_too_large` for more entries than a message may have blocks.
   */
  add(list: readonly JsonValue[], whole: boolean): void {
    for (const value of list) {
      const entry = objectOfMember(value)
      if (entry === undefined || !isJsonValue(entry)) continue
      const last = this.#entries.at(-1)
      if (whole || last === undefined || !continues(last, entry)) this.#entries.push({ ...entry })
      else extend(last, entry)
    }
    if (this.#entries.length > maxBlocks) {
      throw new InferenceError('response_too_large', `more than ${maxBlocks} reasoning details`)
    }
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  /** To be taken once nothing more is added. */
  get list(): readonly JsonValue[] {
    return this.#entries
  }
}

type Entry = Record<string, JsonValue>

/** The readable text of entries: where a server gives no plain text beside them. */
export function detailsText(list: readonly JsonValue[]): string | undefined {
  let text = ''
  for (const value of list) {
    const entry = objectOfMember(value)
    text += textOfMember(entry?.text) ?? textOfMember(entry?.summary) ?? ''
  }
  return text === '' ? undefined : text
}

function continues(last: Entry, next: JsonObject): boolean {
  if (last.type !== next.type || last.index !== next.index) return false
  return textOfMember(last.signature) === undefined && textOfMember(last.data) === undefined
}

function extend(last: Entry, next: JsonObject): void {
  for (const [name, value] of Object.entries(next)) {
    const before = last[name]
    if (growing.has(name) && typeof before === 'string' && typeof value === 'string') last[name] = before + value
    else if (value !== null || before === undefined) last[name] = value
  }
}

const growing: ReadonlySet<string> = new Set(['text', 'summary'])
