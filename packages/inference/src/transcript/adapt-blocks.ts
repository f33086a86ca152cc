import {
  type AIMessage,
  assertNever,
  type Block,
  type MediaBlock,
  type Message,
  mediaFault,
  type ProviderState,
  type RefusalBlock,
  type TextBlock,
  type ThinkingBlock,
  type ToolResultBlock,
  type ToolUseBlock,
  textBlock,
} from '@looprig/core'
import type { LegalIds } from './legal-ids.ts'
import type { LegalNames } from './legal-names.ts'
import { mediaInWords, takesMedia } from './media-rule.ts'
import type { ReportChange } from './transcript-change.ts'
import type { TranscriptRules } from './transcript-rules.ts'

/** Makes the blocks of one message legal for a target. The same list comes back when nothing had to be done. */
export class BlockAdapter {
  readonly #rules: TranscriptRules
  readonly #role: Message['role']
  readonly #report: ReportChange

  constructor(rules: TranscriptRules, role: Message['role'], report: ReportChange) {
    this.#rules = rules
    this.#role = role
    this.#report = report
  }

  /** Adapts the blocks of a message that makes no calls. */
  adapt(blocks: readonly Block[]): readonly Block[] {
    return mapBlocks(blocks, (block, at) =>
      block.type === 'tool_use' ? [this.#callInWords(block, at)] : this.#one(block, at),
    )
  }

  /** Adapts the blocks of an assistant message. */
  adaptAnswer({ blocks }: AIMessage, ids: LegalIds, names: LegalNames): readonly Block[] {
    return mapBlocks(blocks, (block, at) =>
      block.type === 'tool_use' ? [this.#call(block, at, ids, names)] : this.#one(block, at),
    )
  }

  #one(block: Exclude<Block, ToolUseBlock>, at: number): readonly Block[] {
    switch (block.type) {
      case 'text':
        return this.#text(block, at)
      case 'refusal':
        return this.#refusal(block, at)
      case 'thinking':
        return this.#thinking(block, at)
      case 'image':
      case 'audio':
      case 'document':
        return [this.#media(block, at)]
      case 'tool_result':
        return this.#resultInWords(block, at)
      default:
        return assertNever(block, 'block')
    }
  }

  #text(block: TextBlock, at: number): readonly Block[] {
    const own = this.#withOwnState(block, at)
    const isDropped = block.text === '' || (this.#rules.blankText === 'drop' && block.text.trim() === '')
    if (!isDropped || own.state !== undefined) return [own]
    this.#report('block_dropped', 'empty', at)
    return []
  }

  #refusal(block: RefusalBlock, at: number): readonly Block[] {
    const isKept = this.#role === 'assistant' && this.#rules.refusals === 'keep'
    if (isKept) return [this.#withOwnState(block, at)]
    this.#report('block_replaced', this.#role === 'assistant' ? 'unsupported_refusal' : 'misplaced_block', at)
    return [textBlock(block.text.trim() === '' ? '[The model declined to answer.]' : block.text)]
  }

  #thinking(block: ThinkingBlock, at: number): readonly Block[] {
    if (this.#role !== 'assistant') {
      this.#report('block_dropped', 'misplaced_block', at)
      return []
    }
    const { seal, state } = block
    const isOwnSeal = seal !== undefined && this.#rules.sealFormats.includes(seal.format)
    const isOwnState = this.#isOwn(state)
    const isForeign = (seal !== undefined && !isOwnSeal) || (state !== undefined && !isOwnState)
    if (!isForeign) {
      if (seal !== undefined || state !== undefined || this.#rules.unsealedThinking === 'keep') return [block]
      this.#report('block_dropped', 'unsealed_thinking', at)
      return []
    }
    if (!isOwnSeal && !isOwnState) {
      this.#report('block_dropped', 'foreign_thinking', at)
      return []
    }
    this.#report('state_removed', 'foreign_state', at)
    const { seal: _seal, state: _state, ...rest } = block
    return [{ ...rest, ...(isOwnSeal ? { seal } : {}), ...(isOwnState && state !== undefined ? { state } : {}) }]
  }

  #media(block: MediaBlock, at: number): Block {
    const rule = this.#rules.media[block.type]
    if (this.#role === 'system') this.#report('block_replaced', 'misplaced_block', at)
    else if (mediaFault(block) !== undefined) this.#report('block_replaced', 'invalid_media', at)
    else if (rule.roles.includes(this.#role) && takesMedia(rule, block)) return this.#withOwnState(block, at)
    else this.#report('block_replaced', 'unsupported_media', at)
    return mediaInWords(block)
  }

  #call(block: ToolUseBlock, at: number, ids: LegalIds, names: LegalNames): ToolUseBlock {
    const id = ids.take(block.id, at, this.#report)
    const name = names.take(block.name, at, this.#report)
    const own = this.#withOwnState(block, at)
    return id === own.id && name === own.name ? own : { ...own, id, name }
  }

  #callInWords({ name, input }: ToolUseBlock, at: number): Block {
    this.#report('block_replaced', 'misplaced_block', at)
    return textBlock(`[call of the tool ${name}: ${JSON.stringify(input)}]`)
  }

  #resultInWords({ content, isError }: ToolResultBlock, at: number): readonly Block[] {
    this.#report('block_replaced', 'misplaced_block', at)
    const title = textBlock(isError ? '[error of a tool call:]' : '[result of a tool call:]')
    const inner = new BlockAdapter(this.#rules, this.#role, (change, reason) => this.#report(change, reason, at))
    return [title, ...inner.adapt(content)]
  }

  #withOwnState<B extends { readonly state?: ProviderState }>(block: B, at: number): B {
    if (block.state === undefined || this.#isOwn(block.state)) return block
    this.#report('state_removed', 'foreign_state', at)
    const { state: _, ...rest } = block
    return rest as B // proved: `state` is optional in every block that has one
  }

  #isOwn(state: ProviderState | undefined): boolean {
    return state !== undefined && this.#rules.stateFormats.includes(state.format)
  }
}

/** Whether an assistant message with these blocks is worth sending: it says or asks something, or holds private data. */
export function saysSomething(blocks: readonly Block[]): boolean {
  return blocks.some((block) => {
    if (block.type === 'thinking') return block.seal !== undefined || block.state !== undefined
    return block.type !== 'text' || block.text.trim() !== '' || block.state !== undefined
  })
}

/** The results that stand inside of a user message, where another program put them. */
export function resultsWithin(
  blocks: readonly Block[],
): readonly { readonly block: ToolResultBlock; readonly at: number }[] {
  return blocks.flatMap((block, at) => (block.type === 'tool_result' ? [{ block, at }] : []))
}

function mapBlocks(blocks: readonly Block[], map: (block: Block, at: number) => readonly Block[]): readonly Block[] {
  const mapped = blocks.map(map)
  const isSame = mapped.every((made, at) => made.length === 1 && made[0] === blocks[at])
  return isSame ? blocks : mapped.flat()
}
