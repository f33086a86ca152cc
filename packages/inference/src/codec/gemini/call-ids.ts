import { createHash, randomUUID } from 'node:crypto'

/** Makes something that no other response has; a test may give its own. */
export type MintId = () => string

/**
 * Gives the calls of one response ids, since most of this protocol's come without. They follow from the id of the
 * response, so that the whole response and its stream agree, and no two responses share one. They never go on the wire.
 */
export class CallIds {
  readonly #mint: MintId
  #base: string | undefined
  #count = 0

  constructor(mint: MintId = randomUUID) {
    this.#mint = mint
  }

  /** The response said what its id is. */
  learn(responseId: string | undefined): void {
    if (responseId === undefined || this.#base !== undefined) return
    this.#base = /^[\w-]{1,40}$/.test(responseId)
      ? responseId
      : createHash('sha256').update(responseId).digest('base64url').slice(0, 24)
  }

  next(): string {
    this.#base ??= this.#mint()
    const id = `call_${this.#base}_${this.#count}`
    this.#count += 1
    return id
  }
}
