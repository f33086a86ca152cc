/** Runs tasks one after another, in the order of the calls; a task that fails does not stop the next. */
export class Serial {
  #tail: Promise<unknown> = Promise.resolve()

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(task)
    this.#tail = result.catch(() => undefined)
    return result
  }
}
