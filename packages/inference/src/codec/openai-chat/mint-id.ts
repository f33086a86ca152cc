import { createHash, randomUUID } from 'node:crypto'

/**
 * Mints the id of a call to which the server gave none. Whole and streamed decode of one response mint the same, since
 * its id and the position of the call make it; a response without an id gets one of its own.
 */
export class CallIds {
  #responseId: string | undefined

  /** The first id of the response counts. */
  learn(responseId: string | undefined): void {
    this.#responseId ??= responseId
  }

  mint(position: number): string {
    this.#responseId ??= randomUUID()
    const hash = createHash('sha256').update(`${position}:${this.#responseId}`).digest('hex')
    return `call_${hash.slice(0, 24)}`
  }
}

/** The id of nine letters and digits that stands for another, always the same one. */
export function nineCharacterId(id: string): string {
  if (/^[A-Za-z\d]{9}$/.test(id)) return id
  const hash = createHash('sha256').update(id).digest()
  let short = ''
  for (const byte of hash.subarray(0, 9)) short += alphabet[byte % alphabet.length] ?? ''
  return short
}

/** 32 of them, so that every byte stands for one as often as for another. */
const alphabet = 'abcdefghijkmnopqrstuvwxyz2345678'
