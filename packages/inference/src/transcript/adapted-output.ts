import { type AIMessage, type Message, type UserMessage, userMessage } from '@looprig/core'
import type { TranscriptChange, TranscriptChangeKind, TranscriptChangeReason } from './transcript-change.ts'
import type { TranscriptRules } from './transcript-rules.ts'

/** Stands where a target wants a user to speak first. */
const beginning = userMessage('[The conversation goes on from here.]')

/** The history as it is made, and what was done to it. */
export class AdaptedOutput {
  readonly #rules: TranscriptRules
  readonly #head: Message[]
  readonly #body: Message[]
  readonly #changes: TranscriptChange[]

  constructor(rules: TranscriptRules, from?: AdaptedOutput) {
    this.#rules = rules
    this.#head = from === undefined ? [] : [...from.#head]
    this.#body = from === undefined ? [] : [...from.#body]
    this.#changes = from === undefined ? [] : [...from.#changes]
  }

  /** One that goes its own way from here. */
  copy(): AdaptedOutput {
    return new AdaptedOutput(this.#rules, this)
  }

  report(index: number, change: TranscriptChangeKind, reason: TranscriptChangeReason, blockIndex?: number): void {
    this.#changes.push(blockIndex === undefined ? { index, change, reason } : { index, blockIndex, change, reason })
  }

  /** Adds a system message where the target takes one. */
  addSystem(message: Extract<Message, { role: 'system' }>, index: number): void {
    const isFirst = !this.#body.some(({ role }) => role !== 'system')
    if (isFirst || this.#rules.systemMessages === 'anywhere') {
      this.#body.push(message)
      return
    }
    if (this.#rules.systemMessages === 'first') {
      this.report(index, 'message_moved', 'misplaced_system')
      this.#head.push(message)
      return
    }
    this.report(index, 'role_changed', 'misplaced_system')
    this.add({ role: 'user', blocks: message.blocks }, index)
  }

  /** Adds a message that may stand where it comes. */
  add(message: Exclude<Message, { role: 'system' }>, index: number): void {
    const last = this.#body.at(-1)
    if (message.role === 'assistant' && (last === undefined || last.role === 'system') && this.#mustBeginWithUser()) {
      this.report(index, 'message_inserted', 'starts_with_assistant')
      this.#body.push(beginning)
    }
    const merged = this.#rules.consecutiveRoles === 'merge' ? mergedWith(last, message) : undefined
    if (merged === undefined) {
      this.#body.push(message)
      return
    }
    this.report(index, 'message_merged', 'consecutive_role')
    this.#body[this.#body.length - 1] = merged
  }

  /** The messages, and the changes in the order of their places. */
  end(): { readonly messages: readonly Message[]; readonly changes: readonly TranscriptChange[] } {
    const changes = this.#changes.toSorted((a, b) => a.index - b.index || (a.blockIndex ?? -1) - (b.blockIndex ?? -1))
    return { messages: this.#withHead(), changes }
  }

  #mustBeginWithUser(): boolean {
    return this.#rules.beginning === 'user' && !this.#body.some(({ role }) => role !== 'system')
  }

  /** The moved messages come after those that stood first by themselves. */
  #withHead(): readonly Message[] {
    if (this.#head.length === 0) return this.#body
    const first = this.#body.findIndex(({ role }) => role !== 'system')
    return first < 0 ? [...this.#body, ...this.#head] : this.#body.toSpliced(first, 0, ...this.#head)
  }
}

/** Usage and model belong to one response, so a message of two has neither. */
function mergedWith(last: Message | undefined, next: Message): AIMessage | UserMessage | undefined {
  if (last === undefined || last.role !== next.role) return undefined
  if (last.role !== 'user' && last.role !== 'assistant') return undefined
  return { role: last.role, blocks: [...last.blocks, ...next.blocks] }
}
