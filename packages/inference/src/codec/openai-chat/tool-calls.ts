import { isJsonValue, type JsonObject, type JsonValue, maxBlocks, type StreamEvent } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import { objectOfMember, textOfMember } from '../../wire/json-members.ts'
import type { CallIds } from './mint-id.ts'
import { extraContentFormat } from './state-formats.ts'

/** One entry of `tool_calls`: a piece of a call in a stream, a whole one otherwise. Empty texts were not said. */
export interface ToolCallFragment {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly args: string
  /** What the server attached to it, to be sent back. */
  readonly extra: JsonObject | undefined
}

/** Reads an entry; `undefined` when there is nothing in it. `position` outranks the index that it claims. */
export function readFragment(entry: JsonValue, position: number | undefined): ToolCallFragment | undefined {
  const object = objectOfMember(entry)
  if (object === undefined) return undefined
  const call = objectOfMember(object.function) ?? {}
  const id = textOfMember(object.id) ?? ''
  const name = textOfMember(call.name) ?? ''
  const args = argumentText(call.arguments)
  const attached = objectOfMember(object.extra_content)
  const extra = isJsonValue(attached) ? attached : undefined
  if (id === '' && name === '' && args === '' && extra === undefined) return undefined
  return { index: position ?? (typeof object.index === 'number' ? object.index : undefined), id, name, args, extra }
}

/** A call on its way. Its block starts when it is known who it is, so an id or name that comes late is not lost. */
export class OpenToolCall {
  readonly blockIndex: number
  readonly index: number | undefined
  /** Gives the id of a call to which the server gives none in time. */
  readonly #mint: () => string
  #id = ''
  #name = ''
  #held = ''
  #extra: JsonObject | undefined
  #started = false

  constructor(blockIndex: number, index: number | undefined, mint: () => string) {
    this.blockIndex = blockIndex
    this.index = index
    this.#mint = mint
  }

  /** The server's id; empty when it gave none. */
  get id(): string {
    return this.#id
  }

  /** Whether a fragment with a name but no id must be another call: this one has all of that already. */
  get isPastNaming(): boolean {
    return this.#started && this.#id === ''
  }

  take(fragment: ToolCallFragment, out: StreamEvent[]): void {
    this.#extra = fragment.extra ?? this.#extra
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
    const { blockIndex } = this
    if (!this.#started) this.#start(out)
    if (this.#extra !== undefined) {
      out.push({ type: 'block_state', blockIndex, state: { format: extraContentFormat, data: this.#extra } })
    }
    out.push({ type: 'block_end', blockIndex })
  }

  #start(out: StreamEvent[]): void {
    const { blockIndex } = this
    const id = this.#id === '' ? this.#mint() : this.#id
    this.#started = true
    out.push({ type: 'block_start', blockIndex, block: { type: 'tool_use', id, name: this.#name } })
    if (this.#held !== '') out.push({ type: 'tool_input_delta', blockIndex, text: this.#held })
    this.#held = ''
  }
}

/** The calls of one response, found by what servers really send: index, id, both, or neither. */
export class ToolCalls {
  readonly #ids: CallIds
  readonly #all: OpenToolCall[] = []
  readonly #byIndex = new Map<number, OpenToolCall>()
  readonly #byId = new Map<string, OpenToolCall>()

  constructor(ids: CallIds) {
    this.#ids = ids
  }

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

  /** @throws InferenceError `response_too_large` for more calls than a message may have blocks. */
  open(fragment: ToolCallFragment, blockIndex: number): OpenToolCall {
    if (this.size >= maxBlocks) throw new InferenceError('response_too_large', `more than ${maxBlocks} calls`)
    const position = this.size
    const call = new OpenToolCall(blockIndex, fragment.index, () => this.#ids.mint(position))
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
