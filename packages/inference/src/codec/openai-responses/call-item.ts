import { isJsonValue, type JsonObject, type JsonValue, type StreamEvent } from '@looprig/core'
import { textOfMember } from '../../wire/json-members.ts'
import { blockIndexOf, type OutputItem } from './output-item.ts'
import { ownState } from './own-state.ts'

/** Where a kind of call keeps its argument: JSON of a function, free text of a custom tool. */
export type CallKind = 'function' | 'custom'

/**
 * A call of a tool of ours. Its block starts as soon as its name is known. The free text of a custom tool is kept as it
 * is, marked by `custom` in the block's state, and is never an object.
 */
export class CallItem implements OutputItem {
  readonly isCall = true
  readonly #kind: CallKind
  readonly #blockIndex: number
  #id = ''
  #name = ''
  /** What came before the block could start; of a custom call, everything. */
  #text = ''
  #hasText = false
  #started = false

  constructor(outputIndex: number, kind: CallKind) {
    this.#kind = kind
    this.#blockIndex = blockIndexOf(outputIndex, 0)
  }

  begin(item: JsonObject, out: StreamEvent[]): void {
    this.#id ||= textOfMember(item.call_id) ?? ''
    this.#name ||= textOfMember(item.name) ?? ''
    if (this.#id !== '' && this.#name !== '') this.#start(out)
  }

  take(type: string, event: JsonObject, out: StreamEvent[]): void {
    switch (type) {
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#append(event.delta, out)
        return
      case 'response.function_call_arguments.done':
        if (!this.#hasText) this.#append(event.arguments, out)
        return
      case 'response.custom_tool_call_input.done':
        if (!this.#hasText) this.#append(event.input, out)
        return
      default:
        return
    }
  }

  end(item: JsonObject, out: StreamEvent[]): void {
    this.begin(item, out)
    this.#id ||= textOfMember(item.id) ?? ''
    this.#start(out)
    if (!this.#hasText) this.#append(this.#kind === 'custom' ? item.input : item.arguments, out)
    const blockIndex = this.#blockIndex
    if (this.#kind === 'custom') {
      out.push({ type: 'block_state', blockIndex, state: ownState({ custom: true, input: this.#text }) })
    }
    out.push({ type: 'block_end', blockIndex })
  }

  #append(value: JsonValue | undefined, out: StreamEvent[]): void {
    const text = argumentText(value)
    if (text === '') return
    this.#hasText = true
    if (this.#kind === 'custom' || !this.#started) this.#text += text
    if (this.#started) out.push({ type: 'tool_input_delta', blockIndex: this.#blockIndex, text })
  }

  #start(out: StreamEvent[]): void {
    if (this.#started) return
    this.#started = true
    const blockIndex = this.#blockIndex
    out.push({ type: 'block_start', blockIndex, block: { type: 'tool_use', id: this.#id, name: this.#name } })
    if (this.#text !== '') out.push({ type: 'tool_input_delta', blockIndex, text: this.#text })
  }
}

/** Arguments are JSON in a text; some servers send the object itself, or nothing. */
function argumentText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  return isJsonValue(value) ? JSON.stringify(value) : '"arguments nested too deep"'
}
