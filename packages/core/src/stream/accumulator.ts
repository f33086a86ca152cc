import type { Block, ProviderState, ThinkingSeal, ToolUseBlock } from '../content/block.ts'
import { isWithinBlockCap } from '../content/block-size.ts'
import { maxBlockCharacters, maxBlocks } from '../content/limits.ts'
import type { MediaBlock } from '../content/media.ts'
import type { AIMessage } from '../content/message.ts'
import { assertNever } from '../error/assert-never.ts'
import { ContentError } from '../error/errors.ts'
import { isJsonObject, isJsonValue, type JsonObject } from '../json/json-value.ts'
import { soundUsage, type Usage } from '../usage/usage.ts'
import type { FinishReason, StreamEvent } from './stream-event.ts'

/** One tool call with its arguments exactly as the model wrote them: the executable view of a `tool_use` block. */
export interface RawToolCall {
  readonly toolUseId: string
  readonly name: string
  /** The model's text: perhaps not JSON. The stored block has `{}` then. */
  readonly argsJson: string
}

/** What a whole response came to. */
export interface Accumulated {
  readonly message: AIMessage
  /** The calls of `message`, in order. */
  readonly toolCalls: readonly RawToolCall[]
  /** Absent when the stream broke off before its end marker. */
  readonly finish: { readonly reason: FinishReason; readonly rawReason?: string } | undefined
}

type OpenBlock = { [K in 'text' | 'refusal' | 'thinking' | 'tool_use']: OpenBlockOf<K> }[
  | 'text'
  | 'refusal'
  | 'thinking'
  | 'tool_use']

interface OpenBlockOf<Type extends string> {
  readonly type: Type
  readonly id: string
  readonly name: string
  text: string
  seal: ThinkingSeal | undefined
  state: ProviderState | undefined
}

/** The most characters of text that one response may hold. */
const defaultMaxCharacters = 4 * 1024 * 1024

/** What one character takes in JSON at most. Base64 is never escaped, so media weighs a sixth of a text. */
const widestCharacter = 6

/**
 * Folds stream events into one message. Whole and streamed decode of the same response give equal messages, since
 * both feed one of these. Repeated or empty call ids are made unique, so each call can have its own result.
 */
export class Accumulator {
  readonly #blocks = new Map<number, OpenBlock | MediaBlock>()
  readonly #maxCharacters: number
  #characters = 0
  #finish: { reason: FinishReason; rawReason?: string } | undefined
  #usage: Usage | undefined
  #model: string | undefined

  /**
   * @param options - `maxCharacters`: the cap on all text of the response, provider-private data too; 4 Mi characters
   *   when absent. Six characters of base64 count as one.
   */
  constructor(options: { readonly maxCharacters?: number | undefined } = {}) {
    this.#maxCharacters = options.maxCharacters ?? defaultMaxCharacters
  }

  /**
   * Takes the next event.
   *
   * @throws ContentError `stream_invalid` for a delta of a block that did not start or is of another kind, a second
   *   start, or an event after `finish`; `content_too_large` past the caps, at `finish` also for a block that is larger
   *   than `maxBlockCharacters`; `content_invalid` for state that is not JSON.
   */
  add(event: StreamEvent): void {
    if (this.#finish !== undefined) throw new ContentError('stream_invalid', event.type, 'came after finish')
    switch (event.type) {
      case 'text_delta': {
        const block = this.#open(event.blockIndex, event.type)
        if (block.type !== 'text' && block.type !== 'refusal') throw wrongKind(event.type, block.type)
        this.#append(block, event.text)
        return
      }
      case 'thinking_delta':
        this.#append(this.#openAs(event.blockIndex, 'thinking', event.type), event.text)
        return
      case 'tool_input_delta':
        this.#append(this.#openAs(event.blockIndex, 'tool_use', event.type), event.text)
        return
      case 'block_start':
        this.#start(event)
        return
      case 'block_state':
        this.#setState(event)
        return
      case 'block_end':
      case 'retrying':
        return
      case 'finish':
        this.#checkSizes()
        this.#finish =
          event.rawReason === undefined
            ? { reason: event.reason }
            : { reason: event.reason, rawReason: event.rawReason }
        this.#usage = event.usage === undefined ? undefined : soundUsage(event.usage)
        this.#model = event.model
        return
      default:
        assertNever(event, 'stream event')
    }
  }

  /** Whether the end marker came. */
  get isFinished(): boolean {
    return this.#finish !== undefined
  }

  /** The message so far. Later events do not change what was returned. */
  result(): Accumulated {
    const blocks: Block[] = []
    const toolCalls: RawToolCall[] = []
    const ids = new UniqueIds()
    for (const index of [...this.#blocks.keys()].sort((a, b) => a - b)) {
      const open = this.#blocks.get(index)
      if (open === undefined) continue
      const block = closeBlock(open, ids)
      blocks.push(block)
      if (block.type === 'tool_use' && open.type === 'tool_use') {
        toolCalls.push({ toolUseId: block.id, name: block.name, argsJson: open.text })
      }
    }
    const message: { -readonly [K in keyof AIMessage]: AIMessage[K] } = { role: 'assistant', blocks }
    if (this.#usage !== undefined) message.usage = this.#usage
    if (this.#model !== undefined) message.model = this.#model
    return { message, toolCalls, finish: this.#finish }
  }

  #start(event: Extract<StreamEvent, { type: 'block_start' }>): void {
    const { block, blockIndex } = event
    if (this.#blocks.has(blockIndex)) throw new ContentError('stream_invalid', event.type, 'a block starts once')
    if (this.#blocks.size >= maxBlocks) throw new ContentError('content_too_large', 'blocks', 'too many blocks')
    if (isMedia(block)) {
      this.#count(mediaCharacters(block) + stateCharacters(undefined, block.state))
      this.#blocks.set(blockIndex, block)
      return
    }
    const call = block.type === 'tool_use' ? block : { id: '', name: '' }
    const { id, name } = call
    this.#count(id.length + name.length)
    this.#blocks.set(blockIndex, { type: block.type, id, name, text: '', seal: undefined, state: undefined })
  }

  #open(index: number, field: string): OpenBlock {
    const block = this.#blocks.get(index)
    if (block === undefined) throw new ContentError('stream_invalid', field, 'its block did not start')
    if (isMedia(block)) throw wrongKind(field, block.type)
    return block
  }

  #setState(event: Extract<StreamEvent, { type: 'block_state' }>): void {
    const { blockIndex, type, seal, state } = event
    const block = this.#blocks.get(blockIndex)
    if (block === undefined) throw new ContentError('stream_invalid', type, 'its block did not start')
    if (isMedia(block)) {
      if (seal !== undefined) throw wrongKind(type, block.type)
      this.#count(state === undefined ? 0 : stateCharacters(undefined, state) - stateCharacters(undefined, block.state))
      if (state !== undefined) this.#blocks.set(blockIndex, { ...block, state })
      return
    }
    if (seal !== undefined && block.type !== 'thinking') throw wrongKind(type, block.type)
    const next = { seal: seal ?? block.seal, state: state ?? block.state }
    this.#count(stateCharacters(next.seal, next.state) - stateCharacters(block.seal, block.state))
    block.seal = next.seal
    block.state = next.state
  }

  /** A block that could not be read back must not be handed out as whole. */
  #checkSizes(): void {
    if (this.#characters * widestCharacter <= maxBlockCharacters) return
    for (const [index, block] of this.result().message.blocks.entries()) {
      if (isWithinBlockCap(block)) continue
      throw new ContentError(
        'content_too_large',
        `blocks[${index}]`,
        `more than ${maxBlockCharacters} characters of JSON`,
      )
    }
  }

  #openAs(index: number, type: OpenBlock['type'], field: string): OpenBlock {
    const block = this.#open(index, field)
    if (block.type !== type) throw wrongKind(field, block.type)
    return block
  }

  #append(block: OpenBlock, text: string): void {
    this.#count(text.length)
    block.text += text
  }

  #count(characters: number): void {
    this.#characters += characters
    if (this.#characters > this.#maxCharacters) {
      throw new ContentError('content_too_large', 'response', `more than ${this.#maxCharacters} characters`)
    }
  }
}

function wrongKind(field: string, kind: string): ContentError {
  return new ContentError('stream_invalid', field, `not a delta of a ${kind} block`)
}

function isMedia(block: { readonly type: string }): block is MediaBlock {
  return block.type === 'image' || block.type === 'audio' || block.type === 'document'
}

function mediaCharacters({ mediaType, data, url, name, text }: MediaBlock): number {
  const words = mediaType.length + (url?.length ?? 0) + (name?.length ?? 0) + (text?.length ?? 0)
  return words + Math.ceil((data?.length ?? 0) / widestCharacter)
}

function stateCharacters(seal: ThinkingSeal | undefined, state: ProviderState | undefined): number {
  const sealed = seal === undefined ? 0 : seal.format.length + seal.signature.length
  if (state === undefined) return sealed
  const { format, data } = state
  if (!isJsonValue(data)) throw new ContentError('content_invalid', 'state.data', 'expected JSON, not nested too deep')
  return sealed + format.length + (typeof data === 'string' ? data.length : JSON.stringify(data).length)
}

function closeBlock(open: OpenBlock | MediaBlock, ids: UniqueIds): Block {
  switch (open.type) {
    case 'image':
    case 'audio':
    case 'document':
      return open
    case 'text':
    case 'refusal':
      return open.state === undefined
        ? { type: open.type, text: open.text }
        : { type: open.type, text: open.text, state: open.state }
    case 'thinking':
      return {
        type: 'thinking',
        text: open.text,
        ...(open.seal === undefined ? {} : { seal: open.seal }),
        ...(open.state === undefined ? {} : { state: open.state }),
      }
    case 'tool_use': {
      const { type, name, state } = open
      const call: ToolUseBlock = { type, id: ids.take(open.id), name, input: parseToolInput(open.text) ?? {} }
      return state === undefined ? call : { ...call, state }
    }
    default:
      return assertNever(open, 'block')
  }
}

/** Gives a repeated or missing id a suffix that no other call of the message has. */
class UniqueIds {
  readonly #taken = new Set<string>()
  /** The last suffix tried per id, so that a thousand equal ids do not cost a million looks. */
  #suffixes: Map<string, number> | undefined

  take(id: string): string {
    const base = id === '' ? 'call' : id
    const unique = this.#taken.has(base) ? this.#withSuffix(base) : base
    this.#taken.add(unique)
    return unique
  }

  #withSuffix(base: string): string {
    this.#suffixes ??= new Map()
    let suffix = this.#suffixes.get(base) ?? 1
    let unique: string
    do {
      suffix += 1
      unique = `${base}-${suffix}`
    } while (this.#taken.has(unique))
    this.#suffixes.set(base, suffix)
    return unique
  }
}

/**
 * Reads a call's arguments: blank text means no arguments; `undefined` means that it is not a JSON object, or one
 * nested deeper than `maxJsonDepth`, which nobody could write out again.
 */
export function parseToolInput(argsJson: string): JsonObject | undefined {
  if (argsJson.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(argsJson)
    return isJsonObject(value) && isJsonValue(value) ? value : undefined
  } catch {
    return undefined
  }
}
