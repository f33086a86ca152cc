/** Keeps the first names in order out of any number, in bounded memory. A name that comes twice is kept once. */
export class SmallestNames {
  readonly #limit: number
  #names = new Set<string>()
  #isTruncated = false

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Names were dropped: all of them come after those that are kept. */
  get isTruncated(): boolean {
    return this.#isTruncated
  }

  add(name: string): void {
    this.#names.add(name)
    if (this.#names.size >= this.#limit * 2) this.#prune()
  }

  sorted(): readonly string[] {
    if (this.#names.size > this.#limit) this.#prune()
    return [...this.#names].sort()
  }

  #prune(): void {
    this.#names = new Set([...this.#names].sort().slice(0, this.#limit))
    this.#isTruncated = true
  }
}
