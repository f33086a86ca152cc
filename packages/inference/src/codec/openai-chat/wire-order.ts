import type { Message } from '@looprig/core'
import type { EncodedMessage } from './encode-message.ts'

type Role = Message['role']

/**
 * Puts the messages of one request in the order that the protocol wants: media of tool results comes in one message
 * of a user after the whole batch, and, for servers that insist, an assistant speaks between results and others.
 */
export class WireOrder {
  readonly #bridges: boolean
  #texts: string[] = []
  #moved: string[] = []
  #last: Role | undefined

  /** @param bridges - whether the assistant must speak after tool results. */
  constructor(bridges: boolean) {
    this.#bridges = bridges
  }

  add(role: Role, { json, movedParts }: EncodedMessage): void {
    if (role !== 'tool') this.#flush()
    if (json !== undefined) this.push(role, json)
    if (movedParts !== undefined) this.#moved.push(movedParts)
  }

  push(role: Role, json: string): void {
    if (this.#bridges && this.#last === 'tool' && (role === 'user' || role === 'system')) this.#texts.push(bridge)
    this.#texts.push(json)
    this.#last = role
  }

  /** Takes out the texts that there are so far. */
  take(): string[] {
    const texts = this.#texts
    this.#texts = []
    return texts
  }

  /** Gives the texts, with what was still to come after the last message. */
  end(): readonly string[] {
    this.#flush()
    return this.#texts
  }

  /** Goes on from here, while this one stays where it is. */
  fork(): WireOrder {
    const fork = new WireOrder(this.#bridges)
    fork.#texts = [...this.#texts]
    fork.#moved = [...this.#moved]
    fork.#last = this.#last
    return fork
  }

  #flush(): void {
    if (this.#moved.length === 0) return
    const parts = this.#moved.join(',')
    this.#moved = []
    this.push('user', `{"role":"user","content":[${parts}]}`)
  }
}

const bridge = '{"role":"assistant","content":"The tool results are above."}'
