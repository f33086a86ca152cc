import type { JsonObject, JsonValue, StreamEvent } from '@looprig/core'
import { listOfMember, objectOfMember, textOfMember } from '../../wire/json-members.ts'
import { CallItem } from './call-item.ts'
import { MessageItem } from './message-item.ts'
import { OpaqueItem } from './opaque-item.ts'
import { type OutputItem, position } from './output-item.ts'
import { ReasoningItem } from './reasoning-item.ts'

/**
 * The output of one response: its items by position. Ids of items are not trusted, since some servers change them from
 * event to event; they only help where a position is missing.
 */
export class OutputDecoder {
  readonly #open = new Map<number, OutputItem>()
  readonly #ended = new Set<number>()
  readonly #byId = new Map<string, number>()
  /** Where the items are of a server that gives several the same position. */
  readonly #moved = new Map<number, number>()
  #last = -1
  #hasCalls = false

  /** Whether the model asked for a tool. */
  get hasCalls(): boolean {
    return this.#hasCalls
  }

  /** An item was announced. */
  begin(event: JsonObject, out: StreamEvent[]): void {
    const item = objectOfMember(event.item)
    if (item === undefined) return
    const id = textOfMember(item.id)
    const index = this.#placeOf(position(event.output_index) ?? this.#last + 1, id)
    if (this.#ended.has(index) || this.#open.has(index)) return
    this.#note(index, id)
    this.#add(index, itemOf(textOfMember(item.type), index)).begin(item, out)
  }

  /** Something of an item came. */
  take(type: string, event: JsonObject, out: StreamEvent[]): void {
    const index = this.#indexOf(event)
    if (this.#ended.has(index)) return
    const known = this.#open.get(index)
    if (known !== undefined) {
      known.take(type, event, out)
      return
    }
    const kind = kindOfEvent(type)
    if (kind === undefined) return
    this.#note(index, textOfMember(event.item_id))
    this.#add(index, itemOf(kind, index)).take(type, event, out)
  }

  /** An item is complete. */
  end(event: JsonObject, out: StreamEvent[]): void {
    const item = objectOfMember(event.item)
    if (item !== undefined) this.#end(this.#indexOf({ ...event, item_id: item.id ?? null }), item, out)
  }

  /** The response is complete: `output` repeats all of it, which counts only for what did not come before. */
  endAll(output: JsonValue | undefined, out: StreamEvent[]): void {
    const items = listOfMember(output)
    const streamed = this.#open.size > 0 || this.#ended.size > 0
    for (const [index, value] of items.entries()) {
      const item = objectOfMember(value)
      if (item !== undefined && (!streamed || this.#isOpenAs(index, item))) this.#end(index, item, out)
    }
    for (const [index, item] of this.#open) {
      this.#ended.add(index)
      item.end({}, out)
    }
    this.#open.clear()
  }

  #end(index: number, item: JsonObject, out: StreamEvent[]): void {
    if (this.#ended.has(index)) return
    const open = this.#open.get(index) ?? this.#add(index, itemOf(textOfMember(item.type), index))
    this.#open.delete(index)
    this.#ended.add(index)
    open.end(item, out)
  }

  #add(index: number, item: OutputItem): OutputItem {
    this.#open.set(index, item)
    this.#hasCalls ||= item.isCall
    return item
  }

  /** A position that was taken by an item which ended is not that of a new one. */
  #placeOf(claimed: number, id: string | undefined): number {
    const index = this.#moved.get(claimed) ?? claimed
    if (!this.#ended.has(index) || id === undefined || this.#byId.get(id) === index) return index
    this.#moved.set(claimed, this.#last + 1)
    return this.#last + 1
  }

  #note(index: number, id: string | undefined): void {
    this.#last = Math.max(this.#last, index)
    if (id !== undefined) this.#byId.set(id, index)
  }

  #indexOf(event: JsonObject): number {
    const claimed = position(event.output_index)
    if (claimed !== undefined) return this.#moved.get(claimed) ?? claimed
    return this.#byId.get(textOfMember(event.item_id) ?? '') ?? Math.max(0, this.#last)
  }

  #isOpenAs(index: number, item: JsonObject): boolean {
    return this.#open.get(index)?.constructor === itemOf(textOfMember(item.type), index).constructor
  }
}

function itemOf(type: string | undefined, index: number): OutputItem {
  switch (type) {
    case 'message':
      return new MessageItem(index)
    case 'reasoning':
      return new ReasoningItem(index)
    case 'function_call':
      return new CallItem(index, 'function')
    case 'custom_tool_call':
      return new CallItem(index, 'custom')
    default:
      return new OpaqueItem(index)
  }
}

/** The type of item that an event belongs to, for servers that announce none. */
function kindOfEvent(type: string): string | undefined {
  if (type.startsWith('response.output_text.') || type.startsWith('response.refusal.')) return 'message'
  if (type.startsWith('response.reasoning_')) return 'reasoning'
  if (type.startsWith('response.function_call_arguments.')) return 'function_call'
  if (type.startsWith('response.custom_tool_call_input.')) return 'custom_tool_call'
  return undefined
}
