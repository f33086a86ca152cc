import { basename } from 'node:path'
import type { ReadGuard } from '../../contract/read-guard.ts'
import { noiseFolders } from '../noise.ts'

/** The most bytes of one line, and of all lines that are no debug output, that are kept. */
const maxLineBytes = 8_192

const lineFeed = 10

const debugLine = /^(?:rg: )?DEBUG\b/
const ignoredFolder = / ignoring (.*): Ignore\(IgnoreMatch\(Override\(/

/**
 * Reads what ripgrep says besides its results, in bounded memory: its errors, and, of its debug output, the folders that
 * it was told to skip. A version that says it otherwise costs the notice, nothing else.
 */
export class RipgrepDiagnostics {
  readonly #guard: ReadGuard
  readonly #skipped = new Set<string>()
  #line: Buffer[] = []
  #lineBytes = 0
  #errorText = ''

  constructor(guard: ReadGuard) {
    this.#guard = guard
  }

  /** Names of the noise folders that were met so far. */
  get skipped(): ReadonlySet<string> {
    return this.#skipped
  }

  /** The start of what is no debug output; complete once `end` was called. */
  get errorText(): string {
    return this.#errorText
  }

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const feed = chunk.indexOf(lineFeed, at)
      this.#keep(chunk.subarray(at, feed === -1 ? chunk.length : feed))
      if (feed === -1) return
      this.#endLine()
      at = feed + 1
    }
  }

  end(): void {
    if (this.#lineBytes > 0) this.#endLine()
  }

  #keep(part: Buffer): void {
    if (this.#lineBytes < maxLineBytes) this.#line.push(part.subarray(0, maxLineBytes - this.#lineBytes))
    this.#lineBytes += part.length
  }

  #endLine(): void {
    const line = Buffer.concat(this.#line).toString('utf8')
    this.#line = []
    this.#lineBytes = 0
    if (!debugLine.test(line)) {
      if (this.#errorText.length < maxLineBytes) this.#errorText += `${line}\n`
      return
    }
    const folder = ignoredFolder.exec(line)?.[1]
    if (folder === undefined) return
    const name = basename(folder)
    if (noiseFolders.has(name) && !this.#guard.deniedRead(folder)) this.#skipped.add(name)
  }
}
