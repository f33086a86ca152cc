import type { Message } from '@looprig/core'
import type { InferenceRequest } from '../../client/request.ts'

/** The messages at the start of a conversation whose text will not change any more, and what is kept of them. */
export interface Settled<State> {
  /** Whoever settles a message adds it here, and what is kept of it to the state. */
  readonly messages: Message[]
  readonly state: State
}

/**
 * Remembers, for each conversation, what its first messages came to, so that a request pays for its new ones only. It is
 * found by the first message, lives as long as that does, and counts only where the request begins with the same
 * messages.
 */
export class SettledMessages<State> {
  readonly #byFirst = new WeakMap<Message, Settled<State> & { readonly key: string }>()
  readonly #begin: () => State

  /** @param begin - makes the state of no messages. */
  constructor(begin: () => State) {
    this.#begin = begin
  }

  /**
   * @param most - how many messages may be settled by now; where more are, all of it begins anew.
   * @param key - what the text depends on besides the messages; another one begins anew.
   */
  of(messages: readonly Message[], most: number, key = ''): Settled<State> {
    const [first] = messages
    const kept = first === undefined ? undefined : this.#byFirst.get(first)
    if (kept?.key === key && kept.messages.length <= most && beginsWith(messages, kept.messages)) return kept
    const made = { messages: [], state: this.#begin(), key }
    if (first !== undefined) this.#byFirst.set(first, made)
    return made
  }
}

function beginsWith(messages: readonly Message[], start: readonly Message[]): boolean {
  if (start.length > messages.length) return false
  for (let at = 0; at < start.length; at += 1) if (messages[at] !== start[at]) return false
  return true
}

/**
 * How many messages are settled once this request is written: those before the last answer of the model. What follows it
 * may still get results, and the messages of this request alone are not sent again.
 */
export function settledCount({ messages, transientMessages = 0 }: InferenceRequest): number {
  const committed = messages.length - transientMessages
  return Math.max(
    0,
    messages.findLastIndex(({ role }, at) => role === 'assistant' && at < committed),
  )
}
