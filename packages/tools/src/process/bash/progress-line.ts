import { headWithin } from '@looprig/core'
import { cleanTerminalText } from '../text/terminal-text.ts'

/** How often watchers are told, in milliseconds. */
const everyMs = 500
/** How much of the latest output is looked at, and how much of a line is told, in bytes. */
const lookBytes = 1_024
const maxLineBytes = 200

/** Shows whoever watches a command its latest line of output; looks at nothing in between. */
export class ProgressLine {
  readonly #progress: ((text: string) => void) | undefined
  #last = performance.now()

  constructor(progress: ((text: string) => void) | undefined) {
    this.#progress = progress
  }

  add(bytes: Uint8Array): void {
    if (this.#progress === undefined || performance.now() - this.#last < everyMs) return
    const lines = cleanTerminalText(bytes.subarray(-lookBytes)).split(/[\r\n]+/)
    const line = lines.findLast((text) => text.trim() !== '')
    if (line === undefined) return
    this.#last = performance.now()
    this.#progress(headWithin(line.trim(), maxLineBytes))
  }
}
