import { Writable } from 'node:stream'

/** An output that keeps what is written and lets a test wait for it. */
export class Capture extends Writable {
  readonly isTTY: boolean
  text = ''
  #waiting: { readonly found: () => boolean; readonly resolve: () => void }[] = []

  constructor(isTTY = false) {
    super({ decodeStrings: false })
    this.isTTY = isTTY
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString()
    for (const waiting of [...this.#waiting]) {
      if (!waiting.found()) continue
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
      waiting.resolve()
    }
    done()
  }

  /** Resolves when the text so far matches. */
  async seen(pattern: RegExp): Promise<void> {
    const found = () => pattern.test(this.text)
    if (!found()) await new Promise<void>((resolve) => this.#waiting.push({ found, resolve }))
  }
}
