import type { SupervisedProcess } from './supervised-process.ts'

/** The processes that have ended and can still be read, in the order in which they ended. */
export class Retained {
  readonly #processes: SupervisedProcess[] = []

  /** Adds one, and gives up the ones that ended first until the limits hold. Gives back what was given up. */
  add(process: SupervisedProcess, maxCount: number, maxBytes: number): readonly SupervisedProcess[] {
    this.#processes.push(process)
    const evicted: SupervisedProcess[] = []
    let bytes = this.#processes.reduce((sum, { storedBytes }) => sum + storedBytes, 0)
    while (this.#processes.length > maxCount || (bytes > maxBytes && this.#processes.length > 1)) {
      const oldest = this.#processes.shift()
      if (oldest === undefined) break
      bytes -= oldest.storedBytes
      evicted.push(oldest)
    }
    return evicted
  }
}
