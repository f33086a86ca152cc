import { type Message, textBlock, type UserMessage } from '@looprig/core'

/** The runtime context of one turn, laid behind the transcript of each of its requests and never part of it. */
export class ContextTail {
  readonly #text: string
  readonly #own: UserMessage
  #merged: { readonly last: UserMessage; readonly copy: UserMessage } | undefined

  /** @param text - blank: no tail. */
  constructor(text: string) {
    this.#text = text
    this.#own = frozenMessage([textBlock(text)])
  }

  /**
   * The messages of a request: the tail joins a copy of the last user message, or follows the results of a step as a
   * message of its own. The same message gives the same copy, so that an encoder writes it once.
   */
  append(messages: readonly Message[]): readonly Message[] {
    if (this.#text === '') return messages
    const last = messages.at(-1)
    if (last?.role !== 'user') return Object.freeze([...messages, this.#own])
    if (this.#merged?.last !== last) this.#merged = { last, copy: this.#join(last) }
    return Object.freeze([...messages.slice(0, -1), this.#merged.copy])
  }

  #join(last: UserMessage): UserMessage {
    // protocols that know one text per message join blocks without anything between
    return frozenMessage([...last.blocks, textBlock(`\n\n${this.#text}`)])
  }
}

function frozenMessage(blocks: UserMessage['blocks']): UserMessage {
  return Object.freeze({ role: 'user', blocks: Object.freeze(blocks.map((block) => Object.freeze(block))) })
}
