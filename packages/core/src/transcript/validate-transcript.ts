import type { ToolUseBlock } from '../content/block.ts'
import { isMediaBlock, mediaFault } from '../content/media.ts'
import type { AIMessage, Message, ToolResultMessage } from '../content/message.ts'
import { hasPlaceFor } from './block-place.ts'
import { type OpenCall, OpenCalls } from './open-calls.ts'
import type { TranscriptIssue, TranscriptIssueCode } from './transcript-issue.ts'

/** What a transcript is checked for. */
export interface ValidateTranscriptOptions {
  /** Also what a strict provider wants of a request: see the codes of a request. Default: false. */
  readonly asRequest?: boolean | undefined
}

/**
 * Finds what keeps a transcript from being legal: calls without results, results without calls, wrong order, empty
 * messages, blocks in the wrong place. An id may come again in a later message; calls and results are paired by place.
 *
 * @returns the issues in the order of their places; none for a legal transcript.
 */
export function validateTranscript(
  messages: readonly Message[],
  options: ValidateTranscriptOptions = {},
): readonly TranscriptIssue[] {
  const reader = new TranscriptReader(messages, options.asRequest === true)
  for (const [index, message] of messages.entries()) reader.take(message, index)
  return reader.end()
}

class TranscriptReader {
  readonly #issues: TranscriptIssue[] = []
  readonly #asRequest: boolean
  /** Where the last call of each id stands, to tell a result that comes too early from one of no call. */
  readonly #lastCalls = new Map<string, number>()
  /** The calls that were passed, by id, and whether the last one of the id has a result. */
  readonly #passed = new Map<string, boolean>()
  #open = new OpenCalls()
  #last: Message['role'] | undefined
  /** Whether a message other than a leading system message was seen. */
  #hasBegun = false
  #count = 0

  constructor(messages: readonly Message[], asRequest: boolean) {
    this.#asRequest = asRequest
    for (const [index, message] of messages.entries()) {
      for (const call of callsOf(message)) this.#lastCalls.set(call.id, index)
    }
  }

  take(message: Message, index: number): void {
    if (message.role !== 'tool') this.#closeCalls()
    this.#takeBlocks(message, index)
    if (message.role === 'assistant') this.#takeCalls(message, index)
    else if (message.role === 'tool') this.#takeResult(message, index)
    else if (message.blocks.length === 0) this.#report('empty_message', index)
    if (this.#asRequest) this.#judgeTurn(message.role, index)
    this.#last = message.role
    this.#hasBegun ||= message.role !== 'system'
    this.#count += 1
  }

  end(): readonly TranscriptIssue[] {
    this.#closeCalls()
    const isAnswerable = this.#last === 'user' || this.#last === 'tool'
    if (this.#asRequest && !isAnswerable) this.#report('unanswerable_end', Math.max(0, this.#count - 1))
    // a call is known to have no result only after what follows it was seen
    return this.#issues.sort((a, b) => a.index - b.index || (a.blockIndex ?? -1) - (b.blockIndex ?? -1))
  }

  #takeBlocks({ role, blocks }: Message, index: number): void {
    for (const [blockIndex, block] of blocks.entries()) {
      if (!hasPlaceFor(role, block.type)) this.#report('misplaced_block', index, blockIndex)
      else if (isMediaBlock(block) && mediaFault(block) !== undefined) this.#report('invalid_media', index, blockIndex)
      else if (this.#asRequest && block.type === 'text' && block.text === '') {
        this.#report('empty_text', index, blockIndex)
      }
    }
  }

  #takeCalls(message: AIMessage, index: number): void {
    const says = message.blocks.some(
      (block) => block.type !== 'thinking' && (block.type !== 'text' || block.text !== ''),
    )
    if (!says) this.#report('empty_assistant', index)
    const ids = new Set<string>()
    const calls: OpenCall[] = []
    for (const [blockIndex, block] of message.blocks.entries()) {
      if (block.type !== 'tool_use') continue
      if (block.id === '') this.#report('missing_tool_use_id', index, blockIndex)
      else if (ids.has(block.id)) this.#report('duplicate_tool_use_id', index, blockIndex)
      if (block.name === '') this.#report('missing_tool_name', index, blockIndex)
      ids.add(block.id)
      this.#passed.set(block.id, false)
      calls.push({ id: block.id, index, blockIndex })
    }
    this.#open = new OpenCalls(calls)
  }

  #takeResult({ toolUseId, blocks }: ToolResultMessage, index: number): void {
    if (this.#asRequest && blocks.length === 0) this.#report('empty_result', index)
    const answered = this.#open.answer(toolUseId)
    if (answered === 'none') {
      this.#report(this.#strayCode(toolUseId, index), index)
      return
    }
    if (answered === 'later') this.#report('result_out_of_order', index)
    this.#passed.set(toolUseId, true)
  }

  #strayCode(toolUseId: string, index: number): TranscriptIssueCode {
    const isAnswered = this.#passed.get(toolUseId)
    if (isAnswered !== undefined) return isAnswered ? 'duplicate_tool_result' : 'late_tool_result'
    return (this.#lastCalls.get(toolUseId) ?? -1) > index ? 'result_before_call' : 'orphan_tool_result'
  }

  #judgeTurn(role: Message['role'], index: number): void {
    if (role === 'system' && this.#hasBegun) this.#report('misplaced_system', index)
    if (role === 'assistant' && !this.#hasBegun) this.#report('starts_with_assistant', index)
    if (role === 'assistant' && this.#last === 'assistant') this.#report('consecutive_assistant', index)
  }

  #closeCalls(): void {
    for (const { index, blockIndex } of this.#open.left()) this.#report('orphan_tool_call', index, blockIndex)
    this.#open = new OpenCalls()
  }

  #report(code: TranscriptIssueCode, index: number, blockIndex?: number): void {
    this.#issues.push(blockIndex === undefined ? { code, index } : { code, index, blockIndex })
  }
}

function callsOf(message: Message): readonly ToolUseBlock[] {
  return message.role === 'assistant' ? message.blocks.filter((block) => block.type === 'tool_use') : []
}
