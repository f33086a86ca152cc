import { isJsonValue, type JsonObject, type JsonValue, type StreamEvent } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import { objectOfMember, textOfMember } from '../../wire/json-members.ts'
import { redactedFormat, sealFormat } from './formats.ts'

/** A block on its way, under the index that the wire gives it. */
interface OpenBlock {
  readonly blockIndex: number
  /** `skipped`: of the server's own tools, or of a kind that this protocol got later; nothing of it is ours to run. */
  readonly kind: 'text' | 'thinking' | 'tool_use' | 'skipped'
  /** Of a call. */
  readonly id: string
  /** A text block starts with its first text, so an empty one is none. */
  isStarted: boolean
  /** Arguments that came whole with the start; they count when no piece follows. */
  heldArgs: string
}

/**
 * Turns the content blocks of one message into events, whole or in pieces: a whole block is a start that holds
 * everything. The index of a block is its place in the content, so blocks that are skipped leave a gap.
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
    const index = this.#indexOf(wireIndex, this.#lastIndex + 1)
    this.#lastIndex = index
    const earlier = this.#open.get(index)
    if (earlier !== undefined) {
      if (isSameBlock(earlier, content)) return
      this.stop(index, out)
    }
    const block = this.#claim(index, kindOf(content), textOfMember(content.id) ?? '')
    switch (block.kind) {
      case 'text':
        this.#text(block, content.text, out)
        return
      case 'thinking':
        this.#startThinking(block, content, out)
        return
      case 'tool_use':
        this.#startToolUse(block, content, out)
        return
      default:
        return
    }
  }

  /** @throws InferenceError `malformed` for a piece of a call that nobody began. */
  delta(wireIndex: JsonValue | undefined, delta: JsonObject, out: StreamEvent[]): void {
    const index = this.#indexOf(wireIndex, this.#lastIndex)
    const block = this.#open.get(index) ?? this.#implied(index, delta.type, out)
    if (block === undefined || block.kind === 'skipped') return
    const { blockIndex } = block
    switch (delta.type) {
      case 'text_delta':
        this.#text(block, delta.text, out)
        return
      case 'thinking_delta':
        pushText('thinking_delta', blockIndex, delta.thinking, out)
        return
      case 'signature_delta':
        pushSeal(blockIndex, delta.signature, out)
        return
      case 'input_json_delta':
        if (textOfMember(delta.partial_json) !== undefined) block.heldArgs = ''
        pushText('tool_input_delta', blockIndex, delta.partial_json, out)
        return
      default:
        return
    }
  }

  stop(wireIndex: JsonValue | undefined, out: StreamEvent[]): void {
    const index = this.#indexOf(wireIndex, this.#lastIndex)
    const block = this.#open.get(index)
    if (block === undefined) return
    this.#open.delete(index)
    pushText('tool_input_delta', block.blockIndex, block.heldArgs, out)
    if (block.isStarted) out.push({ type: 'block_end', blockIndex: block.blockIndex })
  }

  /** Ends every block that is still open. */
  end(out: StreamEvent[]): void {
    for (const index of [...this.#open.keys()]) this.stop(index, out)
  }

  #claim(index: number, kind: OpenBlock['kind'], id: string): OpenBlock {
    const blockIndex = this.#taken.has(index) ? this.#highest + 1 : index
    this.#taken.add(blockIndex)
    this.#highest = Math.max(this.#highest, blockIndex)
    const block: OpenBlock = { blockIndex, kind, id, isStarted: false, heldArgs: '' }
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

  #text(block: OpenBlock, text: JsonValue | undefined, out: StreamEvent[]): void {
    if (textOfMember(text) === undefined) return
    if (!block.isStarted) {
      block.isStarted = true
      out.push({ type: 'block_start', blockIndex: block.blockIndex, block: { type: 'text' } })
    }
    pushText('text_delta', block.blockIndex, text, out)
  }

  #startThinking(block: OpenBlock, content: JsonObject, out: StreamEvent[]): void {
    const { blockIndex } = block
    block.isStarted = true
    out.push({ type: 'block_start', blockIndex, block: { type: 'thinking' } })
    if (typeof content.data === 'string') {
      out.push({ type: 'block_state', blockIndex, state: { format: redactedFormat, data: content.data } })
      return
    }
    pushText('thinking_delta', blockIndex, content.thinking, out)
    pushSeal(blockIndex, content.signature, out)
  }

  #startToolUse(block: OpenBlock, content: JsonObject, out: StreamEvent[]): void {
    this.#toolCalls += 1
    block.isStarted = true
    block.heldArgs = argumentText(content.input)
    const { blockIndex, id } = block
    const name = textOfMember(content.name) ?? ''
    out.push({ type: 'block_start', blockIndex, block: { type: 'tool_use', id, name } })
  }

  #indexOf(wireIndex: JsonValue | undefined, fallback: number): number {
    return typeof wireIndex === 'number' && Number.isSafeInteger(wireIndex) ? wireIndex : fallback
  }
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
      return 'skipped'
  }
}

function pushText(
  type: 'text_delta' | 'thinking_delta' | 'tool_input_delta',
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

/** The arguments of a call that came whole; none for an empty object, as in a stream. */
function argumentText(input: JsonValue | undefined): string {
  if (input === undefined || input === null || input === '') return ''
  if (!isJsonValue(input)) return '"arguments nested too deep"'
  const text = JSON.stringify(input)
  return text === '{}' ? '' : text
}
