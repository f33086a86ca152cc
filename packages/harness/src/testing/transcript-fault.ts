import { type AIMessage, assertNever, type Block, type Message } from '@looprig/core'

/**
 * Says which message keeps a transcript from being sent to a provider, and why; `undefined` when none does.
 *
 * @param mayGoOn - it may end with an answer that the provider paused.
 */
export function transcriptFault(messages: readonly Message[], mayGoOn = false): string | undefined {
  const reader = new TranscriptReader()
  const last = messages.at(-1)
  if (mayGoOn && last?.role === 'assistant') {
    return last.blocks.length === 0 ? 'the answer so far is empty' : transcriptFault(messages.slice(0, -1))
  }
  for (const [index, message] of messages.entries()) {
    const fault = reader.take(message)
    if (fault !== undefined) return `messages[${index}]: ${fault}`
  }
  return reader.end()
}

/** Reads a transcript front to back and remembers what must come next. */
class TranscriptReader {
  #last: Message['role'] | undefined
  /** The calls that have no result yet, in order. */
  #open: readonly string[] = []

  /** Takes the next message; says what is wrong with it. */
  take(message: Message): string | undefined {
    const fault = this.#judge(message)
    this.#last = message.role
    return fault
  }

  /** Says what is missing at the end. */
  end(): string | undefined {
    if (this.#open.length > 0) return `messages: ${this.#open.length} calls have no result`
    const answerable = this.#last === 'user' || this.#last === 'tool'
    return answerable ? undefined : 'messages: the last one is not from a user or a tool'
  }

  #judge(message: Message): string | undefined {
    if (message.role !== 'tool' && this.#open.length > 0) return `${this.#open.length} calls before it have no result`
    const empty = message.blocks.length === 0 || message.blocks.some((block) => block.type === 'text' && !block.text)
    if (empty) return 'it is empty, or has an empty text'
    switch (message.role) {
      case 'system':
        return this.#last === undefined || this.#last === 'system' ? undefined : 'a system message must come first'
      case 'user':
        return message.blocks.some(isModelContent) ? 'a user message has content of a model or tool' : undefined
      case 'assistant':
        return this.#judgeAssistant(message)
      case 'tool':
        return this.#judgeResult(message.toolUseId, message.blocks)
      default:
        return assertNever(message, 'message')
    }
  }

  #judgeAssistant({ blocks }: AIMessage): string | undefined {
    if (this.#last !== 'user' && this.#last !== 'tool') return 'an assistant message must follow a user or a tool'
    if (blocks.every((block) => block.type === 'thinking')) return 'an assistant message says and asks nothing'
    const calls = blocks.filter((block) => block.type === 'tool_use')
    if (calls.some((call) => call.id === '' || call.name === '')) return 'a call has no id or no name'
    this.#open = calls.map((call) => call.id)
    return new Set(this.#open).size === calls.length ? undefined : 'two calls have one id'
  }

  #judgeResult(toolUseId: string, blocks: readonly Block[]): string | undefined {
    const [expected, ...rest] = this.#open
    if (expected === undefined) return 'a result without a call'
    if (expected !== toolUseId) return 'a result that is not of the next call'
    this.#open = rest
    return blocks.every((block) => block.type === 'text' || block.type === 'image')
      ? undefined
      : 'a result holds texts and images only'
  }
}

function isModelContent(block: Block): boolean {
  return block.type === 'thinking' || block.type === 'tool_use' || block.type === 'refusal'
}
