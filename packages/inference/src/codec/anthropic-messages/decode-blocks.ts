import { isJsonObject, isJsonValue, type JsonObject, type JsonValue, type StreamEvent } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import { textOfMember } from '../../wire/json-members.ts'
import { Citations } from '../citations.ts'
import { argumentText } from './argument-text.ts'
import { opaqueFormat, redactedFormat, sealFormat } from './formats.ts'
import { OpaqueBlock } from './opaque-block.ts'

/** A block on its way, under the index that the wire gives it. */
interface OpenBlock {
  readonly blockIndex: number
  readonly kind: 'text' | 'thinking' | 'tool_use' | 'opaque'
  /** Of a call. */
  readonly id: string
  /** A text block starts with its first text, so an empty one is none; an opaque one when it is whole. */
  isStarted: boolean
  /** Arguments that came whole with the start; they count when no piece follows. */
  heldArgs: string
  readonly opaque: OpaqueBlock | undefined
  /** Of a text. */
  readonly citations: Citations
}

/**
 * Turns the content blocks of one message into events, whole or in pieces: a whole block is a start that holds
 * everything. The index of a block is its place in the content, so one that comes to nothing leaves a gap.
 */
export class ContentBlocks {
  readonly #open = new Map<number, OpenBlock>()
  readonly #taken = new Set<number>()
  #lastIndex = -1
  #highest = -1
  #toolCalls = 0

  get hasToolCalls(): boolean {
    return this.#toolCalls > 0
  }

  /** Whether any block began. */
  get hasBegun(): boolean {
    return this.#taken.size > 0
  }

  start(wireIndex: JsonValue | undefined, content: JsonObject, out: StreamEvent[]): void {
    const index = indexOf(wireIndex, this.#lastIndex + 1)
    this.#lastIndex = index
    const earlier = this.#open.get(index)
    if (earlier !== undefined) {
      if (isSameBlock(earlier, content)) return
      this.stop(index, out)
    }
    const block = this.#claim(index, content)
    if (block.kind === 'text') {
      startText(block, content.text, out)
      block.citations.add(content.citations)
    } else if (block.kind === 'thinking') startThinking(block, content, out)
    else if (block.kind === 'tool_use') {
      this.#toolCalls += 1
      startToolUse(block, content, out)
    }
  }

  /** @throws InferenceError `malformed` for a piece of a call that nobody began. */
  delta(wireIndex: JsonValue | undefined, delta: JsonObject, out: StreamEvent[]): void {
    const index = indexOf(wireIndex, this.#lastIndex)
    const block = this.#open.get(index) ?? this.#implied(index, delta.type, out)
    if (block === undefined) return
    if (block.opaque !== undefined) {
      block.opaque.take(delta)
      return
    }
    switch (delta.type) {
      case 'text_delta':
        startText(block, delta.text, out)
        return
      case 'citations_delta':
        block.citations.add(delta.citation === undefined ? [] : [delta.citation])
        return
      case 'thinking_delta':
        pushText('thinking_delta', block.blockIndex, delta.thinking, out)
        return
      case 'signature_delta':
        pushSeal(block.blockIndex, delta.signature, out)
        return
      case 'input_json_delta':
        if (textOfMember(delta.partial_json) !== undefined) block.heldArgs = ''
        pushText('tool_input_delta', block.blockIndex, delta.partial_json, out)
        return
      default:
        return
    }
  }

  stop(wireIndex: JsonValue | undefined, out: StreamEvent[]): void {
    const index = indexOf(wireIndex, this.#lastIndex)
    const block = this.#open.get(index)
    if (block?.opaque !== undefined) pushOpaque(block, block.opaque.close(), out)
    this.#close(index, out)
  }

  /** Ends every block that is still open. An opaque one is left out: it was cut short. */
  end(out: StreamEvent[]): void {
    for (const index of [...this.#open.keys()]) this.#close(index, out)
  }

  #close(index: number, out: StreamEvent[]): void {
    const block = this.#open.get(index)
    if (block === undefined) return
    this.#open.delete(index)
    pushText('tool_input_delta', block.blockIndex, block.heldArgs, out)
    if (block.isStarted && !block.citations.isEmpty) {
      const state = { format: opaqueFormat, data: { citations: block.citations.list } }
      out.push({ type: 'block_state', blockIndex: block.blockIndex, state })
    }
    if (block.isStarted) out.push({ type: 'block_end', blockIndex: block.blockIndex })
  }

  #claim(index: number, content: JsonObject): OpenBlock {
    const blockIndex = this.#taken.has(index) ? this.#highest + 1 : index
    this.#taken.add(blockIndex)
    this.#highest = Math.max(this.#highest, blockIndex)
    const kind = kindOf(content)
    const opaque = kind === 'opaque' ? new OpaqueBlock(content) : undefined
    const id = textOfMember(content.id) ?? ''
    const block = { blockIndex, kind, id, isStarted: false, heldArgs: '', opaque, citations: new Citations() }
    this.#open.set(index, block)
    return block
  }

  /** Some servers leave out the start of a text or of thinking. */
  #implied(index: number, type: JsonValue | undefined, out: StreamEvent[]): OpenBlock | undefined {
    if (type === 'input_json_delta') {
      throw new InferenceError('malformed', 'the stream holds arguments of a call that did not start')
    }
    if (type !== 'text_delta' && type !== 'thinking_delta') return undefined
    this.start(index, { type: type === 'text_delta' ? 'text' : 'thinking' }, out)
    return this.#open.get(index)
  }
}

function indexOf(wireIndex: JsonValue | undefined, fallback: number): number {
  return typeof wireIndex === 'number' && Number.isSafeInteger(wireIndex) ? wireIndex : fallback
}

/** A gateway may send a start again: that is no second block, and no second call. */
function isSameBlock(open: OpenBlock, content: JsonObject): boolean {
  return open.kind === kindOf(content) && open.id === (textOfMember(content.id) ?? '')
}

function kindOf({ type }: JsonObject): OpenBlock['kind'] {
  switch (type) {
    case 'text':
    case 'thinking':
    case 'tool_use':
      return type
    case 'redacted_thinking':
      return 'thinking'
    default:
      return 'opaque'
  }
}

function startText(block: OpenBlock, text: JsonValue | undefined, out: StreamEvent[]): void {
  if (typeof text !== 'string' || text === '') return
  if (!block.isStarted && block.kind === 'text') {
    block.isStarted = true
    out.push({ type: 'block_start', blockIndex: block.blockIndex, block: { type: 'text' } })
  }
  out.push({ type: 'text_delta', blockIndex: block.blockIndex, text })
}

function startThinking(block: OpenBlock, content: JsonObject, out: StreamEvent[]): void {
  const { blockIndex } = block
  block.isStarted = true
  out.push({ type: 'block_start', blockIndex, block: { type: 'thinking' } })
  if (content.type === 'redacted_thinking') {
    const { data } = content
    if (typeof data === 'string') out.push({ type: 'block_state', blockIndex, state: { format: redactedFormat, data } })
    return
  }
  pushText('thinking_delta', blockIndex, content.thinking, out)
  pushSeal(blockIndex, content.signature, out)
}

function startToolUse(block: OpenBlock, content: JsonObject, out: StreamEvent[]): void {
  const { blockIndex, id } = block
  block.isStarted = true
  block.heldArgs = argumentText(content.input)
  const name = textOfMember(content.name) ?? ''
  out.push({ type: 'block_start', blockIndex, block: { type: 'tool_use', id, name } })
  const { caller } = content
  if (!isJsonObject(caller) || caller.type === 'direct' || !isJsonValue(caller)) return
  out.push({ type: 'block_state', blockIndex, state: { format: opaqueFormat, data: { caller } } })
}

/** What is not ours stands in a thinking block without text. */
function pushOpaque(block: OpenBlock, data: JsonValue | undefined, out: StreamEvent[]): void {
  if (data === undefined) return
  const { blockIndex } = block
  block.isStarted = true
  out.push({ type: 'block_start', blockIndex, block: { type: 'thinking' } })
  out.push({ type: 'block_state', blockIndex, state: { format: opaqueFormat, data } })
}

function pushText(
  type: 'thinking_delta' | 'tool_input_delta',
  blockIndex: number,
  text: JsonValue | undefined,
  out: StreamEvent[],
): void {
  if (typeof text === 'string' && text !== '') out.push({ type, blockIndex, text })
}

function pushSeal(blockIndex: number, signature: JsonValue | undefined, out: StreamEvent[]): void {
  if (typeof signature !== 'string' || signature === '') return
  out.push({ type: 'block_state', blockIndex, seal: { format: sealFormat, signature } })
}
