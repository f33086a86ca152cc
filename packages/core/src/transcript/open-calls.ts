/** Where a call stands that waits for its result. */
export interface OpenCall {
  readonly id: string
  readonly index: number
  readonly blockIndex: number
}

/** The calls of one message. Every look-up takes the same time, however many there are and in whatever order they end. */
export class OpenCalls {
  readonly #calls: readonly OpenCall[]
  readonly #answered = new Set<OpenCall>()
  /** The calls of each id without a result, the last one first. */
  readonly #waiting = new Map<string, OpenCall[]>()
  /** The position of the first call that may be without a result. */
  #first = 0

  constructor(calls: readonly OpenCall[] = []) {
    this.#calls = calls
    for (const call of calls.toReversed()) {
      const same = this.#waiting.get(call.id)
      if (same === undefined) this.#waiting.set(call.id, [call])
      else same.push(call)
    }
  }

  /** Takes a result: of the next call, of a later one, or of none. */
  answer(id: string): 'next' | 'later' | 'none' {
    const call = this.#waiting.get(id)?.pop()
    if (call === undefined) return 'none'
    this.#answered.add(call)
    const isNext = this.#calls[this.#first] === call
    while (this.#first < this.#calls.length && this.#isAnswered(this.#first)) this.#first += 1
    return isNext ? 'next' : 'later'
  }

  /** The calls without a result. */
  left(): readonly OpenCall[] {
    return this.#calls.filter((call) => !this.#answered.has(call))
  }

  #isAnswered(position: number): boolean {
    const call = this.#calls[position]
    return call !== undefined && this.#answered.has(call)
  }
}
