import type { JsonObject, JsonValue, StreamEvent } from '@looprig/core'
import { listOfMember, objectOfMember, textOfMember } from '../../wire/json-members.ts'
import { Citations } from '../citations.ts'
import { imageOf } from './decode-image.ts'
import type { CallIds } from './mint-id.ts'
import { detailsText, ReasoningDetails } from './reasoning-details.ts'
import { annotationsFormat, reasoningDetailsFormat } from './state-formats.ts'
import { readFragment, ToolCalls } from './tool-calls.ts'

type ProseType = 'text' | 'refusal' | 'thinking'

/**
 * Turns a `message`, or the `delta`s that make one up, into events. Both have the same members, so whole and streamed
 * decode share all of this. A block begins where its kind first appears; one delta may hold several members.
 */
export class ChatMessageDecoder {
  readonly #calls: ToolCalls
  readonly #details = new ReasoningDetails()
  readonly #annotations = new Citations()
  /** The last block of text: what annotations are of. */
  #textBlock: number | undefined
  #nextBlock = 0
  #proseType: ProseType | undefined
  #proseBlock = 0
  /** The thinking block that will hold the details; it stays open until all of them are there. */
  #detailsBlock: number | undefined
  /** Whether there is anything but thinking. */
  #answered = false
  #emptyRefusal = false

  constructor(ids: CallIds) {
    this.#calls = new ToolCalls(ids)
  }

  get hasToolCalls(): boolean {
    return this.#calls.size > 0
  }

  /** @param whole - the entries of lists are whole ones, each its own, whatever index they carry. */
  add(members: JsonObject, whole: boolean, out: StreamEvent[]): void {
    const details = listOfMember(members.reasoning_details)
    const reasoning = textOfMember(members.reasoning_content) ?? textOfMember(members.reasoning) ?? detailsText(details)
    if (reasoning !== undefined) this.#prose('thinking', reasoning, out)
    if (details.length > 0) this.#addDetails(details, whole)
    this.#content(members.content, out)
    if (typeof members.refusal === 'string') this.#refusal(members.refusal, out)
    if (members.annotations !== undefined) this.#annotations.add(members.annotations)
    for (const image of listOfMember(members.images)) this.#image(image, out)
    let position = 0
    for (const entry of listOfMember(members.tool_calls)) this.#toolCall(entry, whole ? position++ : undefined, out)
    const call = objectOfMember(members.function_call)
    if (call !== undefined) this.#toolCall({ function: call }, 0, out)
  }

  /** Ends every block. */
  end(out: StreamEvent[]): void {
    if (this.#emptyRefusal && !this.#answered) this.#prose('refusal', '', out)
    this.#endAnnotations(out)
    this.#endProse(out)
    this.#endDetails(out)
    this.#calls.end(out)
  }

  /** A text, or a list of parts, of which those that are neither prose nor thinking are skipped. */
  #content(content: JsonValue | undefined, out: StreamEvent[]): void {
    if (typeof content === 'string') {
      if (content !== '') this.#prose('text', content, out)
      return
    }
    for (const entry of listOfMember(content)) {
      const part = objectOfMember(entry)
      if (part?.type !== 'text' && part?.type !== 'thinking' && part?.type !== 'refusal') continue
      const text = partText(part[part.type])
      if (text !== '') this.#prose(part.type, text, out)
    }
  }

  /** A refusal counts by being there, but some servers put an empty one beside every answer. */
  #refusal(text: string, out: StreamEvent[]): void {
    if (text === '') this.#emptyRefusal = true
    else this.#prose('refusal', text, out)
  }

  #prose(type: ProseType, text: string, out: StreamEvent[]): void {
    if (this.#proseType !== type) {
      this.#endProse(out)
      this.#proseType = type
      this.#answered ||= type !== 'thinking'
      this.#proseBlock = this.#nextBlock++
      if (type === 'text') this.#textBlock = this.#proseBlock
      out.push({ type: 'block_start', blockIndex: this.#proseBlock, block: proseStarts[type] })
      if (type === 'thinking') this.#holdDetails()
    }
    if (text === '') return
    out.push({ type: type === 'thinking' ? 'thinking_delta' : 'text_delta', blockIndex: this.#proseBlock, text })
  }

  #endProse(out: StreamEvent[]): void {
    if (this.#proseType === undefined) return
    if (this.#proseBlock !== this.#detailsBlock) out.push({ type: 'block_end', blockIndex: this.#proseBlock })
    this.#proseType = undefined
  }

  /** They may come after other blocks have begun. */
  #endAnnotations(out: StreamEvent[]): void {
    if (this.#annotations.isEmpty || this.#textBlock === undefined) return
    const state = { format: annotationsFormat, data: this.#annotations.list }
    out.push({ type: 'block_state', blockIndex: this.#textBlock, state })
  }

  /** A picture that the model made. */
  #image(value: JsonValue, out: StreamEvent[]): void {
    const block = imageOf(value)
    if (block === undefined) return
    this.#endProse(out)
    this.#answered = true
    const blockIndex = this.#nextBlock++
    out.push({ type: 'block_start', blockIndex, block }, { type: 'block_end', blockIndex })
  }

  #addDetails(details: readonly JsonValue[], whole: boolean): void {
    this.#details.add(details, whole)
    if (this.#proseType === 'thinking') this.#holdDetails()
  }

  #holdDetails(): void {
    if (!this.#details.isEmpty) this.#detailsBlock ??= this.#proseBlock
  }

  /** Details that no readable thinking came with stand where a whole response has them: before all else. */
  #endDetails(out: StreamEvent[]): void {
    if (this.#details.isEmpty) return
    const blockIndex = this.#detailsBlock ?? beforeAll
    if (this.#detailsBlock === undefined) out.push({ type: 'block_start', blockIndex, block: proseStarts.thinking })
    const state = { format: reasoningDetailsFormat, data: this.#details.list }
    out.push({ type: 'block_state', blockIndex, state }, { type: 'block_end', blockIndex })
  }

  #toolCall(entry: JsonValue, position: number | undefined, out: StreamEvent[]): void {
    const fragment = readFragment(entry, position)
    if (fragment === undefined) return
    let call = this.#calls.find(fragment)
    if (call === undefined) {
      this.#endProse(out)
      this.#answered = true
      call = this.#calls.open(fragment, this.#nextBlock++)
    }
    call.take(fragment, out)
  }
}

const beforeAll = -1

const proseStarts = {
  text: { type: 'text' },
  refusal: { type: 'refusal' },
  thinking: { type: 'thinking' },
} as const

/** The text of a part: as it is, or as a list of text parts. */
function partText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value
  let text = ''
  for (const part of listOfMember(value)) text += textOfMember(objectOfMember(part)?.text) ?? ''
  return text
}
