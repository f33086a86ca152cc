/** How many texts are joined at once: the whole is then a hundred pieces and not thousands, which reads far faster. */
const maxRecent = 64

/** JSON texts with commas between them, of a list that only grows: what is there already is not copied again. */
export class GrowingText {
  #joined = ''
  #recent: string[] = []

  add(text: string): void {
    this.#recent.push(text)
    if (this.#recent.length < maxRecent) return
    this.#joined = withComma(this.#joined, this.#recent.join(','))
    this.#recent = []
  }

  /** All of it, and then the rest. */
  followedBy(rest: readonly string[]): string {
    return withComma(this.#joined, [...this.#recent, ...rest].join(','))
  }
}

/** Two lists of JSON texts as one. Adding texts copies neither of them. */
export function withComma(before: string, after: string): string {
  if (before === '') return after
  return after === '' ? before : `${before},${after}`
}
