import type { Message } from '@looprig/core'
import type { InferenceRequest } from '../../client/request.ts'
import { SettledMessages } from './settled-messages.ts'

/** Gathers something from all messages of a request, and looks at each message of a conversation once. */
export class MessageFold<State> {
  readonly #settled: SettledMessages<State>
  readonly #add: (state: State, message: Message) => void
  readonly #copy: (state: State) => State

  /** @param add - adds what is in a message; where it throws, it has added nothing. */
  constructor(begin: () => State, add: (state: State, message: Message) => void, copy: (state: State) => State) {
    this.#settled = new SettledMessages(begin)
    this.#add = add
    this.#copy = copy
  }

  of({ messages, transientMessages = 0 }: InferenceRequest): State {
    const settled = this.#settled.of(messages, messages.length)
    for (const message of messages.slice(settled.messages.length, messages.length - transientMessages)) {
      this.#add(settled.state, message)
      settled.messages.push(message)
    }
    const rest = messages.slice(settled.messages.length)
    if (rest.length === 0) return settled.state
    const state = this.#copy(settled.state)
    for (const message of rest) this.#add(state, message)
    return state
  }
}
