import type { Message } from '@looprig/core'

/** Messages of one record: a user message, or a step's answer with all its results. */
export interface HistoryEntry {
  readonly seq: number
  readonly messages: readonly Message[]
  /** A summary, which stands for all that came before it; only the first entry can be one. */
  readonly isSummary?: true
}

/**
 * The committed transcript of one loop. Each entry knows the seq of its record; a step is one entry, so that a call and
 * its results are never parted.
 */
export class History {
  #entries: HistoryEntry[] = []
  /** The messages of all entries: a snapshot is a copy of it, which costs less than to gather them anew. */
  #messages: Message[] = []
  #snapshot: readonly Message[] | undefined
  #summarisedThrough = 0

  /** The last record that the last summary knew of; 0 before there is one. */
  get summarisedThrough(): number {
    return this.#summarisedThrough
  }

  /** The seq of the last record that it holds; 0 before there is one. */
  get lastSeq(): number {
    return this.#entries.at(-1)?.seq ?? 0
  }

  /** The transcript: a frozen snapshot of frozen messages, the same one until something changes. */
  messages(): readonly Message[] {
    this.#snapshot ??= Object.freeze(this.#messages.slice())
    return this.#snapshot
  }

  /** The seqs of its records, the oldest first, each with its messages. */
  entries(): readonly HistoryEntry[] {
    return this.#entries
  }

  /** Adds the frozen messages of a record that came after all others. */
  push(seq: number, messages: readonly Message[]): void {
    this.#entries.push(Object.freeze({ seq, messages }))
    for (const message of messages) this.#messages.push(message)
    this.#snapshot = undefined
  }

  /**
   * Puts `summary` in the place of what came before `tailFrom`. What came after `through`, the last record that the
   * summary knows of, always stays. The summary takes the seq before its tail, so that seqs go on growing.
   */
  replace(through: number, summary: Message, tailFrom: number): void {
    const keepFrom = Math.min(tailFrom, through + 1)
    const tail = this.#entries.filter((entry) => entry.seq >= keepFrom)
    this.#entries = [Object.freeze({ seq: keepFrom - 1, messages: Object.freeze([summary]), isSummary: true }), ...tail]
    this.#messages = this.#entries.flatMap((entry) => entry.messages)
    this.#summarisedThrough = through
    this.#snapshot = undefined
  }
}
