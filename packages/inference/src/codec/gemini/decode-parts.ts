import {
  isJsonValue,
  type JsonObject,
  type JsonValue,
  type MediaBlock,
  mediaFault,
  type StreamEvent,
} from '@looprig/core'
import { objectOfMember, textOfMember } from '../../wire/json-members.ts'
import type { CallIds } from './call-ids.ts'
import { FunctionCall } from './function-call.ts'
import { ownState } from './own-state.ts'

type ProseType = 'text' | 'thinking'

/** The most characters of JSON that are kept of a part that this library has no word for. */
const maxKeptCharacters = 256 * 1024

/**
 * Turns the parts of a response into blocks. Texts that follow each other are one block, except where a signature stands
 * on one: what is signed must go back exactly as it was, so it is a block of its own.
 */
export class PartsDecoder {
  readonly #ids: CallIds
  #nextBlock = 0
  #prose: { readonly type: ProseType; readonly blockIndex: number } | undefined
  #call: FunctionCall | undefined
  #hasCalls = false

  constructor(ids: CallIds) {
    this.#ids = ids
  }

  get hasCalls(): boolean {
    return this.#hasCalls
  }

  take(value: JsonValue, out: StreamEvent[]): void {
    const part = objectOfMember(value)
    if (part === undefined) return
    const signature = textOfMember(part.thoughtSignature)
    const call = objectOfMember(part.functionCall)
    if (call !== undefined) this.#takeCall(call, signature, out)
    else if (typeof part.text !== 'string') this.#takeOther(part, signature, out)
    else if (part.thought === true) this.#takeProse('thinking', part.text, signature, out)
    else if (part.text === '' && signature !== undefined)
      this.#keep({ emptyText: true, thoughtSignature: signature }, out)
    else this.#takeProse('text', part.text, signature, out)
  }

  /** Ends every block. */
  end(out: StreamEvent[]): void {
    this.#endProse(out)
    this.#call?.breakOff(out)
    this.#call = undefined
  }

  #takeProse(type: ProseType, text: string, signature: string | undefined, out: StreamEvent[]): void {
    if (text === '' && signature === undefined) return
    if (signature !== undefined || this.#prose?.type !== type) {
      this.#endProse(out)
      this.#prose = { type, blockIndex: this.#nextBlock++ }
      out.push({ type: 'block_start', blockIndex: this.#prose.blockIndex, block: { type } })
    }
    const { blockIndex } = this.#prose
    if (text !== '') out.push({ type: type === 'text' ? 'text_delta' : 'thinking_delta', blockIndex, text })
    if (signature === undefined) return
    out.push({ type: 'block_state', blockIndex, state: ownState({ thoughtSignature: signature }) })
    this.#endProse(out)
  }

  #endProse(out: StreamEvent[]): void {
    if (this.#prose === undefined) return
    out.push({ type: 'block_end', blockIndex: this.#prose.blockIndex })
    this.#prose = undefined
  }

  /** A part with a name begins a call; one without goes on with the last. */
  #takeCall(call: JsonObject, signature: string | undefined, out: StreamEvent[]): void {
    const name = textOfMember(call.name)
    if (name !== undefined) {
      this.end(out)
      this.#hasCalls = true
      this.#call = new FunctionCall(this.#nextBlock++, call, name, () => this.#ids.next(), out)
    }
    if (this.#call?.take(call, signature, out) === true) this.#call = undefined
  }

  #takeOther(part: JsonObject, signature: string | undefined, out: StreamEvent[]): void {
    const media = mediaOf(objectOfMember(part.inlineData))
    if (media === undefined) {
      if (!isOfAnotherKind(part)) this.#keep({ part }, out)
      return
    }
    this.#endProse(out)
    const blockIndex = this.#nextBlock++
    const state = signature === undefined ? undefined : ownState({ thoughtSignature: signature })
    out.push(
      { type: 'block_start', blockIndex, block: state === undefined ? media : { ...media, state } },
      { type: 'block_end', blockIndex },
    )
  }

  /** Keeps what belongs to no block of ours in a thinking block without text. */
  #keep(data: JsonObject, out: StreamEvent[]): void {
    if (!isJsonValue(data) || JSON.stringify(data).length > maxKeptCharacters) return
    if (Object.keys(objectOfMember(data.part) ?? data).length === 0) return
    this.#endProse(out)
    const blockIndex = this.#nextBlock++
    out.push(
      { type: 'block_start', blockIndex, block: { type: 'thinking' } },
      { type: 'block_state', blockIndex, state: ownState(data) },
      { type: 'block_end', blockIndex },
    )
  }
}

/** A part that has a place of its own but not the form for it, or that only a client may send. */
function isOfAnotherKind(part: JsonObject): boolean {
  return 'text' in part || 'functionCall' in part || 'functionResponse' in part
}

/** A picture, sound or file that the model made; `undefined` where it is none that could be read back. */
function mediaOf(inline: JsonObject | undefined): MediaBlock | undefined {
  const mediaType = textOfMember(inline?.mimeType)
  const data = textOfMember(inline?.data)
  if (mediaType === undefined || data === undefined) return undefined
  const [kind] = mediaType.toLowerCase().split('/')
  const block: MediaBlock = { type: kind === 'image' || kind === 'audio' ? kind : 'document', mediaType, data }
  return mediaFault(block) === undefined ? block : undefined
}
