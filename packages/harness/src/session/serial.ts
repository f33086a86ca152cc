/** Runs tasks one after another, in the order of the calls; a task that fails does not stop the next. */
export class Serial {
  #tail: Promise<unknown> = Promise.resolve()

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = runAfter(this.#tail, task)
    this.#tail = result.catch(ignore)
    return result
  }
}

async function runAfter<T>(before: Promise<unknown>, task: () => Promise<T>): Promise<T> {
  await before
  return await task()
}

function ignore(): void {}
