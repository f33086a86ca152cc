import {
  type AIMessage,
  assertNever,
  type Block,
  type Message,
  type ToolResultMessage,
  textBlock,
  type UserMessage,
} from '@looprig/core'
import { BlockAdapter, resultsWithin, saysSomething } from './adapt-blocks.ts'
import { AdaptedOutput } from './adapted-output.ts'
import { CallGroup, type WaitingCall } from './call-group.ts'
import { LegalIds } from './legal-ids.ts'
import { LegalNames } from './legal-names.ts'
import type { ReportChange, TranscriptChange } from './transcript-change.ts'
import type { TranscriptRules } from './transcript-rules.ts'

/** Makes a history legal, one message after the other: what was made of earlier ones is never changed by later ones. */
export class TranscriptFold {
  readonly #rules: TranscriptRules
  readonly #out: AdaptedOutput
  readonly #ids: LegalIds
  readonly #names: LegalNames
  #group = new CallGroup([])

  constructor(rules: TranscriptRules) {
    this.#rules = rules
    this.#out = new AdaptedOutput(rules)
    this.#ids = new LegalIds(rules.toolIds)
    this.#names = new LegalNames(rules.toolNames)
  }

  take(message: Message, index: number): void {
    switch (message.role) {
      case 'system':
        this.#closeCalls()
        this.#takeOther(message, index)
        return
      case 'user':
        this.#takeUser(message, index)
        return
      case 'assistant':
        this.#closeCalls()
        this.#takeAnswer(message, index)
        return
      case 'tool':
        this.#takeResult(message, index)
        return
      default:
        assertNever(message, 'message role')
    }
  }

  /** The history up to here, with a result for every call. Further messages may come. */
  end(): { readonly messages: readonly Message[]; readonly changes: readonly TranscriptChange[] } {
    const out = this.#out.copy()
    this.#group.write(out)
    return out.end()
  }

  #closeCalls(): void {
    this.#group.write(this.#out)
    this.#group = new CallGroup([])
  }

  /** Results that stand inside of a user message are taken out first, as far as their calls wait for them. */
  #takeUser(message: UserMessage, index: number): void {
    const taken = new Set<number>()
    for (const { block, at } of resultsWithin(message.blocks)) {
      const { toolUseId, isError, content } = block
      if (this.#group.find(toolUseId) === undefined) continue
      this.#out.report(index, 'role_changed', 'misplaced_block', at)
      this.#takeResult(
        { role: 'tool', toolUseId, isError, blocks: content },
        index,
        this.#reportAt(index, () => at),
      )
      taken.add(at)
    }
    this.#closeCalls()
    if (taken.size === 0) {
      this.#takeOther(message, index)
      return
    }
    const places = [...message.blocks.keys()].filter((at) => !taken.has(at))
    const rest = message.blocks.filter((_, at) => !taken.has(at))
    const report = this.#reportAt(index, (at) => places[at] ?? at)
    if (rest.length > 0) this.#takeOther({ ...message, blocks: rest }, index, report)
  }

  #takeOther(
    message: Extract<Message, { role: 'system' | 'user' }>,
    index: number,
    report: ReportChange = this.#reportAt(index),
  ): void {
    const blocks = new BlockAdapter(this.#rules, message.role, report).adapt(message.blocks)
    const adapted = this.#withBlocks(message, blocks)
    if (adapted.blocks.length === 0) this.#out.report(index, 'message_dropped', 'empty')
    else if (adapted.role === 'system') this.#out.addSystem(adapted, index)
    else this.#out.add(adapted, index)
  }

  #takeAnswer(message: AIMessage, index: number): void {
    const adapter = new BlockAdapter(this.#rules, 'assistant', this.#reportAt(index))
    const blocks = adapter.adaptAnswer(message, this.#ids, this.#names)
    if (!saysSomething(blocks)) {
      this.#out.report(index, 'message_dropped', 'empty')
      return
    }
    this.#out.add(this.#withBlocks(message, blocks), index)
    this.#group = new CallGroup(waitingCalls(message.blocks, blocks, index))
  }

  #takeResult(message: ToolResultMessage, index: number, report: ReportChange = this.#reportAt(index)): void {
    const call = this.#group.find(message.toolUseId)
    if (call === undefined) {
      report('role_changed', 'orphan_tool_result')
      const blocks = new BlockAdapter(this.#rules, 'user', report).adapt(message.blocks)
      this.#group.keepStray({ role: 'user', blocks: [strayTitle, ...blocks] }, index)
      return
    }
    let blocks = new BlockAdapter(this.#rules, 'tool', report).adapt(message.blocks)
    if (blocks.length === 0 && this.#rules.emptyResults === 'fill') {
      report('text_added', 'empty')
      blocks = [noOutput]
    }
    const adapted = this.#withBlocks(message, blocks)
    const { newId } = call
    if (newId === adapted.toolUseId) this.#group.answer(call, adapted, index)
    else this.#group.answer(call, { ...adapted, toolUseId: newId }, index)
  }

  #withBlocks<M extends Message>(message: M, blocks: readonly Block[]): M {
    return blocks === message.blocks ? message : { ...message, blocks }
  }

  /** @param placeOf - the place in the message that was given, where blocks are taken out of it. */
  #reportAt(index: number, placeOf: (blockIndex: number) => number = (blockIndex) => blockIndex): ReportChange {
    return (change, reason, blockIndex) =>
      this.#out.report(index, change, reason, blockIndex === undefined ? undefined : placeOf(blockIndex))
  }
}

const strayTitle = textBlock('[The result of a tool call that is no longer part of this conversation:]')
const noOutput = textBlock('(no output)')

/** The calls before and after they were made legal: none is ever dropped, so they are in the same order. */
function waitingCalls(before: readonly Block[], after: readonly Block[], index: number): readonly WaitingCall[] {
  const newIds = after.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
  return before
    .flatMap((block, blockIndex) => (block.type === 'tool_use' ? [{ id: block.id, blockIndex }] : []))
    .map(({ id, blockIndex }, at) => ({ id, newId: newIds[at] ?? id, index, blockIndex }))
}
