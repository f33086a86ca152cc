import type { JsonObject, JsonValue, StreamEvent } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'
import { listOfMember, objectOfMember, textOfMember } from '../../wire/json-members.ts'
import { argumentText } from '../anthropic-messages/argument-text.ts'
import { Citations } from '../citations.ts'
import { citationsFormat, redactedFormat, sealFormat } from './formats.ts'

/** A block on its way, under the index that the wire gives it. */
interface OpenBlock {
  readonly blockIndex: number
  /** `skipped`: of the server's own tools, or of a kind that this protocol got later; nothing of it is ours to run. */
  readonly kind: 'text' | 'thinking' | 'tool_use' | 'skipped'
  /** Of a call. */
  readonly id: string
  signature: string
  redacted: Buffer
  readonly citations: Citations
}

const proseKinds: ReadonlySet<string> = new Set(['text', 'reasoningContent'])

/** Turns the content blocks of one message into events, whole or in pieces. Only a call is announced before its pieces. */
export class ConverseBlocks {
  readonly #open = new Map<number, OpenBlock>()
  readonly #taken = new Set<number>()
  #lastIndex = 0
  #highest = -1
  #toolCalls = 0

  get hasToolCalls(): boolean {
    return this.#toolCalls > 0
  }

  /** Takes a block that came at once. */
  add(index: number, block: JsonObject, out: StreamEvent[]): void {
    const call = objectOfMember(block.toolUse)
    if (call !== undefined) {
      const started = this.start(index, { toolUse: call }, out)
      const text = started?.kind === 'tool_use' ? argumentText(call.input) : ''
      if (started !== undefined && text !== '') {
        out.push({ type: 'tool_input_delta', blockIndex: started.blockIndex, text })
      }
    }
    if (typeof block.text === 'string') this.delta(index, { text: block.text }, out)
    const cited = objectOfMember(block.citationsContent)
    for (const part of listOfMember(cited?.content)) {
      this.delta(index, { text: objectOfMember(part)?.text ?? '' }, out)
    }
    this.#open.get(index)?.citations.add(cited?.citations)
    const reasoning = objectOfMember(block.reasoningContent)
    if (reasoning !== undefined) {
      this.delta(index, { reasoningContent: { ...objectOfMember(reasoning.reasoningText), ...reasoning } }, out)
    }
    this.stop(index, out)
  }

  /**
   * @returns the block that began, which may be one that is skipped; none for text and thinking, which some servers
   *   announce too: what they are is told by their pieces.
   */
  start(wireIndex: JsonValue | undefined, start: JsonObject, out: StreamEvent[]): OpenBlock | undefined {
    const index = this.#indexOf(wireIndex)
    const call = objectOfMember(start.toolUse)
    if (Object.keys(start).every((kind) => proseKinds.has(kind))) {
      this.stop(index, out)
      this.#lastIndex = index
      return undefined
    }
    const isOurs = call !== undefined && (call.type === undefined || call.type === 'tool_use')
    const id = textOfMember(call?.toolUseId) ?? ''
    const earlier = this.#open.get(index)
    // a start that is sent again is no second call
    if (isOurs && earlier?.kind === 'tool_use' && earlier.id === id) return earlier
    const block = this.#claim(index, isOurs ? 'tool_use' : 'skipped', out, id)
    if (!isOurs) return block
    this.#toolCalls += 1
    const name = textOfMember(call.name) ?? ''
    out.push({ type: 'block_start', blockIndex: block.blockIndex, block: { type: 'tool_use', id, name } })
    return block
  }

  /** @throws InferenceError `malformed` for a piece of a call that nobody began. */
  delta(wireIndex: JsonValue | undefined, delta: JsonObject, out: StreamEvent[]): void {
    const index = this.#indexOf(wireIndex)
    if (this.#open.get(index)?.kind === 'skipped') return
    const { text, citation } = delta
    if (citation !== undefined) this.#open.get(index)?.citations.add([citation])
    const reasoning = objectOfMember(delta.reasoningContent)
    const call = objectOfMember(delta.toolUse)
    if (call !== undefined) this.#input(index, call.input, out)
    else if (reasoning !== undefined) this.#thinking(index, reasoning, out)
    else if (typeof text === 'string' && text !== '') {
      const { blockIndex } = this.#prose(index, 'text', out)
      out.push({ type: 'text_delta', blockIndex, text })
    }
  }

  stop(wireIndex: JsonValue | undefined, out: StreamEvent[]): void {
    const index = this.#indexOf(wireIndex)
    const block = this.#open.get(index)
    if (block === undefined) return
    this.#open.delete(index)
    if (block.kind === 'text' && !block.citations.isEmpty) {
      const state = { format: citationsFormat, data: block.citations.list }
      out.push({ type: 'block_state', blockIndex: block.blockIndex, state })
    }
    if (block.kind !== 'skipped') out.push({ type: 'block_end', blockIndex: block.blockIndex })
  }

  /** Ends every block that is still open. */
  end(out: StreamEvent[]): void {
    for (const index of [...this.#open.keys()]) this.stop(index, out)
  }

  #input(index: number, input: JsonValue | undefined, out: StreamEvent[]): void {
    const block = this.#open.get(index)
    if (block?.kind !== 'tool_use') {
      throw new InferenceError('malformed', 'the stream holds arguments of a call that did not start')
    }
    if (typeof input !== 'string' || input === '') return
    out.push({ type: 'tool_input_delta', blockIndex: block.blockIndex, text: input })
  }

  #thinking(index: number, { text, signature, redactedContent }: JsonObject, out: StreamEvent[]): void {
    const block = this.#prose(index, 'thinking', out)
    const { blockIndex } = block
    if (typeof text === 'string' && text !== '') out.push({ type: 'thinking_delta', blockIndex, text })
    if (typeof signature === 'string' && signature !== '') {
      block.signature += signature
      out.push({ type: 'block_state', blockIndex, seal: { format: sealFormat, signature: block.signature } })
    }
    if (typeof redactedContent === 'string' && redactedContent !== '') {
      const data = block.redacted.length === 0 ? redactedContent : joinedBase64(block.redacted, redactedContent)
      block.redacted = Buffer.from(data, 'base64')
      out.push({ type: 'block_state', blockIndex, state: { format: redactedFormat, data } })
    }
  }

  /** The open block of a kind under an index; one of another kind there has ended without saying so. */
  #prose(index: number, kind: 'text' | 'thinking', out: StreamEvent[]): OpenBlock {
    const open = this.#open.get(index)
    if (open?.kind === kind) return open
    const block = this.#claim(index, kind, out)
    out.push({ type: 'block_start', blockIndex: block.blockIndex, block: { type: kind } })
    return block
  }

  #claim(index: number, kind: OpenBlock['kind'], out: StreamEvent[], id = ''): OpenBlock {
    this.stop(index, out)
    this.#lastIndex = index
    const blockIndex = this.#taken.has(index) ? this.#highest + 1 : index
    this.#taken.add(blockIndex)
    this.#highest = Math.max(this.#highest, blockIndex)
    const block: OpenBlock = {
      blockIndex,
      kind,
      id,
      signature: '',
      redacted: Buffer.alloc(0),
      citations: new Citations(),
    }
    this.#open.set(index, block)
    return block
  }

  #indexOf(wireIndex: JsonValue | undefined): number {
    return typeof wireIndex === 'number' && Number.isSafeInteger(wireIndex) ? wireIndex : this.#lastIndex
  }
}

function joinedBase64(bytes: Buffer, more: string): string {
  return Buffer.concat([bytes, Buffer.from(more, 'base64')]).toString('base64')
}
