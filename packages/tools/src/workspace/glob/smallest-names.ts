/** Keeps the first names in order out of any number, in bounded memory. A name that comes twice is kept once. */
export class SmallestNames {
  readonly #limit: number
  #names = new Set<string>()
  #isTruncated = false
  /** The last name of those that were kept when names were dropped. */
  #last: string | undefined

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Names were dropped: all of them come after those that are kept. */
  get isTruncated(): boolean {
    return this.#isTruncated
  }

  add(name: string): void {
    if (this.#last !== undefined && name > this.#last) return
    this.#names.add(name)
    if (this.#names.size >= this.#limit * 2) this.#prune()
  }

  sorted(): readonly string[] {
    if (this.#names.size > this.#limit) this.#prune()
    return [...this.#names].sort()
  }

  #prune(): void {
    const kept = [...this.#names].sort().slice(0, this.#limit)
    this.#names = new Set(kept)
    this.#last = kept.at(-1)
    this.#isTruncated = true
  }
}
