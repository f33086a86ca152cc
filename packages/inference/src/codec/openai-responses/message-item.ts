import type { JsonObject, JsonValue, ProviderState, StreamEvent } from '@looprig/core'
import { listOfMember, objectOfMember, textOfMember } from '../../wire/json-members.ts'
import { Citations } from '../citations.ts'
import { blockIndexOf, type OutputItem, position } from './output-item.ts'
import { ownState } from './own-state.ts'

type PartType = 'text' | 'refusal'

interface OpenPart {
  readonly blockIndex: number
  hasText: boolean
  readonly citations: Citations
}

/** What the model says: a block for each part. A text without text is none, a refusal counts by being there. */
export class MessageItem implements OutputItem {
  readonly isCall = false
  readonly #outputIndex: number
  readonly #parts = new Map<number, OpenPart>()
  #phase: string | undefined

  constructor(outputIndex: number) {
    this.#outputIndex = outputIndex
  }

  begin(item: JsonObject): void {
    this.#phase = textOfMember(item.phase)
  }

  take(type: string, event: JsonObject, out: StreamEvent[]): void {
    const part = position(event.content_index) ?? 0
    switch (type) {
      case 'response.output_text.delta':
        this.#append('text', part, event.delta, out)
        return
      case 'response.refusal.delta':
        this.#append('refusal', part, event.delta, out)
        return
      case 'response.output_text.done':
        this.#whole('text', part, event.text, out)
        return
      case 'response.refusal.done':
        this.#whole('refusal', part, event.refusal, out)
        return
      case 'response.content_part.done':
        this.#wholePart(part, event.part, out)
        return
      default:
        return
    }
  }

  end(item: JsonObject, out: StreamEvent[]): void {
    if (typeof item.content === 'string') this.#whole('text', 0, item.content, out)
    for (const [part, content] of listOfMember(item.content).entries()) {
      this.#wholePart(part, content, out)
      this.#parts.get(slotOf('text', part))?.citations.add(objectOfMember(content)?.annotations)
    }
    const phase = textOfMember(item.phase)
    const changed = phase !== undefined && phase !== this.#phase
    for (const { blockIndex, citations } of this.#parts.values()) {
      if (changed || !citations.isEmpty) {
        const state = textState(phase ?? this.#phase, citations)
        out.push({ type: 'block_state', blockIndex, state })
      }
      out.push({ type: 'block_end', blockIndex })
    }
  }

  #wholePart(part: number, value: JsonValue | undefined, out: StreamEvent[]): void {
    const content = objectOfMember(value)
    if (content?.type === 'output_text') this.#whole('text', part, content.text, out)
    else if (content?.type === 'refusal') this.#whole('refusal', part, content.refusal, out)
  }

  /** The whole text of a part: news only when no delta of it came. */
  #whole(type: PartType, part: number, text: JsonValue | undefined, out: StreamEvent[]): void {
    if (this.#parts.get(slotOf(type, part))?.hasText !== true) this.#append(type, part, text, out)
  }

  #append(type: PartType, part: number, text: JsonValue | undefined, out: StreamEvent[]): void {
    if (typeof text !== 'string' || (text === '' && type === 'text')) return
    const open = this.#parts.get(slotOf(type, part)) ?? this.#start(type, part, out)
    if (text === '') return
    open.hasText = true
    out.push({ type: 'text_delta', blockIndex: open.blockIndex, text })
  }

  #start(type: PartType, part: number, out: StreamEvent[]): OpenPart {
    const slot = slotOf(type, part)
    const blockIndex = blockIndexOf(this.#outputIndex, slot)
    const open = { blockIndex, hasText: false, citations: new Citations() }
    this.#parts.set(slot, open)
    out.push({ type: 'block_start', blockIndex, block: type === 'text' ? { type: 'text' } : { type: 'refusal' } })
    if (this.#phase !== undefined)
      out.push({ type: 'block_state', blockIndex, state: textState(this.#phase, open.citations) })
    return open
  }
}

/**
 * Newer models want to be told again whether a text was a comment on the way or the final answer. Where it comes from is
 * kept for people and not sent back.
 */
function textState(phase: string | undefined, citations: Citations): ProviderState {
  return ownState({
    ...(phase === undefined ? {} : { phase }),
    ...(citations.isEmpty ? {} : { annotations: citations.list }),
  })
}

/** Two for each part, so that one that turns from a text into a refusal does not mix them. */
function slotOf(type: PartType, part: number): number {
  return part * 2 + (type === 'text' ? 0 : 1)
}
