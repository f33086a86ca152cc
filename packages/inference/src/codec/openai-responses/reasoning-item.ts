import type { JsonObject, JsonValue, StreamEvent } from '@looprig/core'
import { listOfMember, objectOfMember, textOfMember } from '../../wire/json-members.ts'
import { blockIndexOf, type OutputItem, position } from './output-item.ts'
import { ownState } from './own-state.ts'

type PartKind = 'summary' | 'content'

/**
 * What the model thought: one block for the parts of its summary and its own words, with an empty line between two
 * parts however they came. What is encrypted goes along, since only that can be sent back.
 */
export class ReasoningItem implements OutputItem {
  readonly isCall = false
  readonly #blockIndex: number
  readonly #seen = new Set<string>()
  #current = ''
  #started = false

  constructor(outputIndex: number) {
    this.#blockIndex = blockIndexOf(outputIndex, 0)
  }

  begin(): void {}

  take(type: string, event: JsonObject, out: StreamEvent[]): void {
    switch (type) {
      case 'response.reasoning_summary_text.delta':
        this.#append('summary', position(event.summary_index) ?? 0, event.delta, out)
        return
      case 'response.reasoning_text.delta':
        this.#append('content', position(event.content_index) ?? 0, event.delta, out)
        return
      case 'response.reasoning_summary_text.done':
        this.#whole('summary', position(event.summary_index) ?? 0, event.text, out)
        return
      case 'response.reasoning_text.done':
        this.#whole('content', position(event.content_index) ?? 0, event.text, out)
        return
      case 'response.reasoning_summary_part.done':
        this.#whole('summary', position(event.summary_index) ?? 0, objectOfMember(event.part)?.text, out)
        return
      case 'response.content_part.done':
        this.#whole('content', position(event.content_index) ?? 0, objectOfMember(event.part)?.text, out)
        return
      default:
        return
    }
  }

  end(item: JsonObject, out: StreamEvent[]): void {
    for (const kind of ['summary', 'content'] as const) {
      for (const [index, part] of listOfMember(item[kind]).entries()) {
        this.#whole(kind, index, objectOfMember(part)?.text, out)
      }
    }
    const encrypted = textOfMember(item.encrypted_content)
    if (encrypted !== undefined) {
      this.#start(out)
      const id = textOfMember(item.id)
      const state = ownState({ ...(id === undefined ? {} : { id }), encrypted_content: encrypted })
      out.push({ type: 'block_state', blockIndex: this.#blockIndex, state })
    }
    if (this.#started) out.push({ type: 'block_end', blockIndex: this.#blockIndex })
  }

  #whole(kind: PartKind, index: number, text: JsonValue | undefined, out: StreamEvent[]): void {
    if (!this.#seen.has(`${kind} ${index}`)) this.#append(kind, index, text, out)
  }

  #append(kind: PartKind, index: number, value: JsonValue | undefined, out: StreamEvent[]): void {
    if (typeof value !== 'string' || value === '') return
    const part = `${kind} ${index}`
    const text = this.#current === part || this.#current === '' ? value : `\n\n${value}`
    if (this.#current !== part) {
      this.#current = part
      this.#seen.add(part)
    }
    this.#start(out)
    out.push({ type: 'thinking_delta', blockIndex: this.#blockIndex, text })
  }

  #start(out: StreamEvent[]): void {
    if (this.#started) return
    this.#started = true
    out.push({ type: 'block_start', blockIndex: this.#blockIndex, block: { type: 'thinking' } })
  }
}
