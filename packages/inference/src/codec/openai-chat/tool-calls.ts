import { isJsonValue, type JsonValue, type StreamEvent } from '@looprig/core'
import { objectOfMember, textOfMember } from '../../wire/json-members.ts'

/** One entry of `tool_calls`: a piece of a call in a stream, a whole one otherwise. Empty texts were not said. */
export interface ToolCallFragment {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly args: string
}

/** Reads an entry; `undefined` when there is nothing in it. `position` outranks the index that it claims. */
export function readFragment(entry: JsonValue, position: number | undefined): ToolCallFragment | undefined {
  const object = objectOfMember(entry)
  if (object === undefined) return undefined
  const call = objectOfMember(object.function) ?? {}
  const id = textOfMember(object.id) ?? ''
  const name = textOfMember(call.name) ?? ''
  const args = argumentText(call.arguments)
  if (id === '' && name === '' && args === '') return undefined
  return { index: position ?? (typeof object.index === 'number' ? object.index : undefined), id, name, args }
}

/** A call on its way. Its block starts when it is known who it is, so an id or name that comes late is not lost. */
export class OpenToolCall {
  readonly blockIndex: number
  readonly index: number | undefined
  #id = ''
  #name = ''
  #held = ''
  #started = false

  constructor(blockIndex: number, index: number | undefined) {
    this.blockIndex = blockIndex
    this.index = index
  }

  get id(): string {
    return this.#id
  }

  /** Whether a fragment with a name but no id must be another call: this one has all of that already. */
  get isPastNaming(): boolean {
    return this.#started && this.#id === ''
  }

  take(fragment: ToolCallFragment, out: StreamEvent[]): void {
    if (!this.#started) {
      this.#id ||= fragment.id
      this.#name ||= fragment.name
      this.#held += fragment.args
      if (this.#name !== '' && (this.#id !== '' || this.#held !== '')) this.#start(out)
      return
    }
    if (fragment.args !== '') out.push({ type: 'tool_input_delta', blockIndex: this.blockIndex, text: fragment.args })
  }

  end(out: StreamEvent[]): void {
    if (!this.#started) this.#start(out)
    out.push({ type: 'block_end', blockIndex: this.blockIndex })
  }

  #start(out: StreamEvent[]): void {
    const { blockIndex } = this
    this.#started = true
    out.push({ type: 'block_start', blockIndex, block: { type: 'tool_use', id: this.#id, name: this.#name } })
    if (this.#held !== '') out.push({ type: 'tool_input_delta', blockIndex, text: this.#held })
    this.#held = ''
  }
}

/** The calls of one response, found by what servers really send: index, id, both, or neither. */
export class ToolCalls {
  readonly #all: OpenToolCall[] = []
  readonly #byIndex = new Map<number, OpenToolCall>()
  readonly #byId = new Map<string, OpenToolCall>()

  get size(): number {
    return this.#all.length
  }

  /** The call that a fragment continues; `undefined` when it begins one. */
  find(fragment: ToolCallFragment): OpenToolCall | undefined {
    const { index, id, name } = fragment
    if (index === undefined) {
      if (id !== '') return this.#byId.get(id)
      return name === '' ? this.#all.at(-1) : undefined
    }
    const call = this.#byIndex.get(index)
    if (call === undefined) return undefined
    if (id === '') return name !== '' && call.isPastNaming ? undefined : call
    if (id === call.id || (call.id === '' && name === '')) return call
    const earlier = this.#byId.get(id)
    return earlier?.index === index ? earlier : undefined
  }

  open(fragment: ToolCallFragment, blockIndex: number): OpenToolCall {
    const call = new OpenToolCall(blockIndex, fragment.index)
    this.#all.push(call)
    if (fragment.index !== undefined) this.#byIndex.set(fragment.index, call)
    if (fragment.id !== '') this.#byId.set(fragment.id, call)
    return call
  }

  end(out: StreamEvent[]): void {
    for (const call of this.#all) call.end(out)
  }
}

/** Arguments are JSON in a text; some servers send the object itself, or nothing. */
function argumentText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  return isJsonValue(value) ? JSON.stringify(value) : '"arguments nested too deep"'
}
