import type { Readable } from 'node:stream'

/** How long a pipe that nobody of the group can hold any more may be silent before it is given up. */
const idleMs = 300
/** How much is read then: more than any pipe and its buffer hold was written by somebody else. */
const maxRestBytes = 2_097_152

/**
 * The output of a process group, read once at the reader's pace. After `finishSoon` it ends even where a process that left
 * the group holds the pipe: at a silence, or after more than the group can have left in it.
 */
export class PipeOutput implements AsyncIterable<Uint8Array> {
  readonly #stream: Readable
  #isEnded = false
  #isOver = false
  #wake = () => {}

  constructor(stream: Readable) {
    this.#stream = stream
    const end = () => {
      this.#isEnded = true
      this.#wake()
    }
    stream.on('end', end).on('close', end).on('error', end)
    stream.on('readable', () => this.#wake())
  }

  /** The group is gone: what is left may still be read. */
  finishSoon(): void {
    this.#isOver = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    let rest = 0
    try {
      while (rest < maxRestBytes) {
        const chunk: unknown = this.#stream.read()
        if (chunk instanceof Uint8Array) {
          if (this.#isOver) rest += chunk.length
          yield chunk
        } else if (this.#isEnded || !(await this.#more())) return
      }
    } finally {
      this.#stream.destroy()
    }
  }

  /** Waits until there may be more; false: it was silent for too long after the end. */
  #more(): Promise<boolean> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined
      const listen = () => {
        if (this.#isOver) timer ??= setTimeout(() => settle(false), idleMs)
      }
      const settle = (hasMore: boolean) => {
        clearTimeout(timer)
        this.#wake = () => {}
        resolve(hasMore)
      }
      const wasOver = this.#isOver
      this.#wake = () => {
        // being told that it is over is no news of more
        if (!wasOver && this.#isOver && timer === undefined && !this.#isEnded && this.#stream.readableLength === 0)
          listen()
        else settle(true)
      }
      listen()
    })
  }
}
